"""Taking a port: one holder at a time, even among concurrent attempts."""

import socket
import threading

import pytest

from registry.core.port_guard import take_port

HOST = "127.0.0.1"


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def listen_as_web_process(port: int) -> socket.socket:
    """Bind the port like granian's processes."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind((HOST, port))
    listener.listen(64)
    return listener


def test_a_port_that_is_taken_is_refused_before_anybody_listens(port):
    with take_port(HOST, port), pytest.raises(OSError, match="in use"):
        take_port(HOST, port)


def test_a_port_that_was_given_back_can_be_taken(port):
    take_port(HOST, port).close()
    take_port(HOST, port).close()


def test_web_processes_listen_next_to_the_guard_and_get_every_connection(port):
    with take_port(HOST, port), listen_as_web_process(port) as first, listen_as_web_process(port) as second:
        for listener in (first, second):
            listener.setblocking(False)
        for _ in range(40):
            with socket.create_connection((HOST, port), timeout=60) as call:
                assert call.getpeername() == (HOST, port)
        accepted = 0
        for listener in (first, second):
            while True:
                try:
                    listener.accept()[0].close()
                except BlockingIOError:
                    break
                accepted += 1
        assert accepted == 40


def test_a_server_that_listens_keeps_the_port(port):
    with listen_as_web_process(port), pytest.raises(OSError, match="in use"):
        take_port(HOST, port)


def test_a_connection_that_ended_just_now_does_not_keep_the_port(port):
    with listen_as_web_process(port) as listener:
        call = socket.create_connection((HOST, port), timeout=60)
        served, _ = listener.accept()
        served.close()  # the side that closes first waits for a minute
        call.close()
    take_port(HOST, port).close()


def test_of_those_who_ask_at_the_same_moment_one_gets_it(port):
    for _ in range(100):
        together = threading.Barrier(4)
        taken: list[socket.socket] = []

        def ask(together: threading.Barrier = together, taken: list[socket.socket] = taken) -> None:
            together.wait()
            try:
                taken.append(take_port(HOST, port))
            except OSError:
                pass

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for guard in taken:
            guard.close()
        assert len(taken) == 1
