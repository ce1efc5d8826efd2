"""One fork server for several processes: it serves each like its own, and only processes of its user."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack

import pytest

from promptuary.renderer import LimitError
from promptuary.renderer.isolation import process
from promptuary.renderer.isolation.renderer import BoundedRenderer

LOOP = "- name: x\n  content: '{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}'\n"
GOOD = "- name: a\n  content: Hello {{ name }}\n"
STRANGER = """
import os, socket, sys
os.setuid(65534)
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(60)
connection.connect(sys.argv[1])
print(connection.recv(1))
"""


class Shared:
    """A listening socket that outlives the fork servers which serve it."""

    def __init__(self, path):
        self.path = path
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(8)
        self.running = None

    def start(self):
        descriptor = self.listener.fileno()
        self.running = subprocess.Popen(
            process.fork_server_command(str(descriptor)),
            pass_fds=[descriptor],
            env=process.fork_server_environment(),
            cwd="/",
        )

    def kill(self):
        self.running.send_signal(signal.SIGKILL)
        self.running.wait(60)


@pytest.fixture
def shared():
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to the stranger
        made = Shared(f"{folder}/s")
        made.start()
        yield made
        made.kill()
        made.listener.close()


def render_name(renderer, name):
    [message] = renderer.render(GOOD, {"name": name}, cpu_seconds=20)["messages"]
    return message["content"]


def test_several_renderers_share_it_and_start_none_of_their_own(shared):
    with ExitStack() as stack:
        renderers = [BoundedRenderer(shared=shared.path) for _ in range(3)]
        for renderer in renderers:
            stack.callback(renderer.close)
        answers = {}
        threads = [
            threading.Thread(target=lambda each=each, at=at: answers.update({at: render_name(each, at)}))
            for at, each in enumerate(renderers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert answers == {at: f"Hello {at}" for at in range(3)}
        assert [renderer._fork_server.process_id for renderer in renderers] == [None] * 3


def test_a_slow_rendering_of_one_process_does_not_block_the_others(shared):
    first, second = BoundedRenderer(shared=shared.path, cpu_seconds=0.8), BoundedRenderer(shared=shared.path)
    with pytest.raises(LimitError, match="took longer"):
        first.render(LOOP)
    assert render_name(second, "Ada") == "Hello Ada"
    first.close()
    assert render_name(second, "Bo") == "Hello Bo"
    second.close()


def test_one_that_was_killed_is_waited_for_until_it_is_there_again(shared):
    renderer = BoundedRenderer(shared=shared.path)
    assert render_name(renderer, "Ada") == "Hello Ada"
    shared.kill()
    timer = threading.Timer(0.5, shared.start)
    timer.start()
    assert render_name(renderer, "Bo") == "Hello Bo"
    assert renderer._fork_server.process_id is None
    timer.join()
    renderer.close()


def test_where_nobody_listens_a_process_starts_its_own(tmp_path):
    renderer = BoundedRenderer(shared=str(tmp_path / "nobody"))
    assert render_name(renderer, "Ada") == "Hello Ada"
    assert renderer._fork_server.process_id is not None
    renderer.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_process_of_another_user_is_turned_away(shared):
    os.chmod(os.path.dirname(shared.path), 0o755)
    os.chmod(shared.path, 0o777)
    done = subprocess.run(
        [sys.executable, "-c", STRANGER, shared.path], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "b''"


def test_the_server_ends_on_request(shared):
    time.sleep(0.1)
    shared.running.terminate()
    assert shared.running.wait(60) == -signal.SIGTERM
