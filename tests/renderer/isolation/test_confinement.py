"""What a confined child can't do, whatever an author's template attempts."""

import ctypes
import os
import platform
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from promptuary.renderer.isolation import confinement
from promptuary.renderer.isolation.confinement import Confinement, probe
from promptuary.renderer.isolation.renderer import BoundedRenderer

TGKILL = {"x86_64": 234, "aarch64": 131}.get(platform.machine(), -1)
pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux confines, others don't"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning"),  # the children do one thing and end
]


def prepared():
    made = Confinement()
    if made._filter is None or made._ruleset is None:
        pytest.skip("this kernel has no seccomp or no Landlock, or their libraries are absent")
    return made


def in_child(act, confine):
    """Run `act` in a confined child, and return its result as text, or the name of the error that it raised."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            confine()
            said = str(act())
        except BaseException as error:  # noqa: BLE001  # whatever it is, the test looks at it
            said = type(error).__name__
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def listener():
    server = socket.create_server(("127.0.0.1", 0))
    return server, server.getsockname()


def write_over(path):
    with path.open("r+b") as file:
        file.write(b"x")


ACTS = {
    "connect over TCP": lambda path, address: socket.create_connection(address, timeout=1),
    "send over UDP": lambda path, address: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", address),
    "a socket of the machine": lambda path, address: socket.socket(socket.AF_UNIX),
    "two sockets": lambda path, address: socket.socketpair(),
    "read a file": lambda path, address: path.read_text(),
    "read the passwords": lambda path, address: Path("/etc/passwd").read_text(),
    "read its own environment": lambda path, address: Path("/proc/self/environ").read_bytes(),
    "list a folder": lambda path, address: os.listdir("/"),
    "write a file": lambda path, address: (path.parent / "new").write_text("x"),
    "write over a file": lambda path, address: write_over(path),
    "remove a file": lambda path, address: path.unlink(),
    "rename a file": lambda path, address: path.rename(path.with_name("other")),
    "change a mode": lambda path, address: path.chmod(0o777),
    "make a folder": lambda path, address: (path.parent / "folder").mkdir(),
    "make a link": lambda path, address: (path.parent / "link").symlink_to(path),
    "fork": lambda path, address: os.fork(),
    "run a program": lambda path, address: os.execv("/bin/true", ["true"]),
    "signal the parent": lambda path, address: os.kill(os.getppid(), 0),
    "become somebody else": lambda path, address: os.setuid(65534),
}


@pytest.mark.parametrize("name", ACTS)
def test_a_confined_process_is_refused(name, tmp_path):
    confined, path = prepared(), tmp_path / "file"
    path.write_text("text")
    server, address = listener()
    with server:
        assert in_child(lambda: ACTS[name](path, address), confined.apply) == "PermissionError"
    assert sorted(child.name for child in tmp_path.iterdir()) == ["file"]
    assert path.read_text() == "text"


def test_a_confined_process_can_do_what_rendering_needs():
    ours, theirs = socket.socketpair()
    with ours, theirs:

        def work():
            theirs.sendall(b"answer")
            import colorsys  # noqa: PLC0415  # a module that was not loaded before

            return (colorsys.__name__, len(os.urandom(4)))

        assert in_child(work, prepared().apply) == "('colorsys', 4)"
        assert ours.recv(10) == b"answer"


@pytest.mark.skipif(TGKILL < 0, reason="the number of the call on this architecture is not known here")
def test_a_confined_process_that_signals_a_thread_ends_itself_and_not_the_other():
    confined = prepared()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        thread_signal = ctypes.CDLL(None, use_errno=True).syscall
        assert in_child(lambda: thread_signal(TGKILL, other.pid, other.pid, signal.SIGKILL), confined.apply) == ""
        assert other.poll() is None
        other.communicate(b"\n")
    assert other.returncode == 0


def test_packages_of_another_venv_on_the_path_can_be_read(tmp_path, monkeypatch):
    stacked = tmp_path / "lib" / "site-packages"
    stacked.mkdir(parents=True)
    (stacked / "package.py").write_text("code")
    monkeypatch.setattr(sys, "path", [*sys.path, str(stacked), str(tmp_path)])
    (tmp_path / "secret").write_text("text")
    confined = prepared()
    assert in_child((stacked / "package.py").read_text, confined.apply) == "code"
    assert in_child((tmp_path / "secret").read_text, confined.apply) == "PermissionError"


def test_a_child_of_the_bounded_renderer_can_do_nothing_of_it():
    prepared()
    renderer = BoundedRenderer()
    try:
        assert renderer.probe() == []
        assert renderer.render("---\nformat: text\n---\n{{ a }}\n", {"a": "b"})["parts"]
    finally:
        renderer.close()


def test_without_kernel_or_library_nothing_is_applied_and_that_is_reported(monkeypatch):
    monkeypatch.setattr(confinement, "pyseccomp", None)
    monkeypatch.setattr(confinement, "landlock", None)
    assert "open sockets" in in_child(probe, Confinement().apply)


def test_a_kernel_that_refuses_them_stops_no_rendering(monkeypatch):
    class Refusing:
        def __init__(self, *_):
            raise OSError(38, "not here")

    for library, name in (("landlock", "Ruleset"), ("pyseccomp", "SyscallFilter")):
        if (module := vars(confinement)[library]) is not None:
            monkeypatch.setattr(module, name, Refusing)
    assert in_child(lambda: "works", Confinement().apply) == "works"
