"""The supervisor of the server's processes: if one must end, all do, and a kill leaves nothing behind."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.support.child_process import start_child

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60  # for what other processes do on a busy machine
SLEEP = "import sys, time; print('up', flush=True); time.sleep(600)"
LISTEN = "import os, socket, sys; print('waits', flush=True); socket.socket(fileno=int(sys.argv[1])).accept(); {then}"
ANSWER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    asked = 0
    def do_GET(self):
        Handler.asked += 1
        print("refused first" if Handler.asked == 1 else f"answered {self.path}", flush=True)
        self.send_response(503 if Handler.asked == 1 else 200)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
ANSWER_TWO_REQUESTS = ANSWER.replace(
    'http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()',
    """server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
server.handle_request()
server.handle_request()""",
)
CONNECT = (
    "import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ['PROMPTUARY_RENDER_SOCKET']);"
    "print('connected', flush=True); import time; time.sleep(600)"
)


def python(code, *arguments, restart=False, **planned):
    return {"argv": [sys.executable, "-S", "-c", code, *arguments], "restart": restart, **planned}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Supervised:
    """A supervisor over a plan, with what it printed."""

    def __init__(self, folder, processes, listener=None, port=None):
        self.folder = Path(tempfile.mkdtemp())  # a short path, as sockets want
        plan = {"processes": processes, "host": "127.0.0.1", "port": port, "banner": ["ready"]}
        plan |= {"folder": str(self.folder), "listener": listener}
        path = str(self.folder / "render.sock")
        self._log = folder / "log"
        self._mark = f"SUPERVISED_BY_TEST={folder}"
        with tempfile.TemporaryFile() as file, socket.socket(socket.AF_UNIX) as waiting, self._log.open("w") as log:
            waiting.bind(path)
            waiting.listen()
            file.write(json.dumps({**plan, "socket": waiting.fileno()}).encode())
            file.seek(0)
            self.process = start_child(
                [sys.executable, "-m", "registry.supervisor", str(file.fileno())],
                cwd=ROOT,
                env={**os.environ, "SUPERVISED_BY_TEST": str(folder), "PROMPTUARY_RENDER_SOCKET": path},
                pass_fds=[file.fileno(), waiting.fileno()],
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    @property
    def printed(self):
        return self._log.read_text()

    def wait_for(self, text, times=1):
        wait_until(lambda: self.printed.count(text) >= times, lambda: self.printed)

    def left_behind(self):
        """Processes that still run with the mark of this plan in their environment."""
        alive = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z" and self._mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    alive.append(folder.name)
            except OSError:
                continue  # it ended meanwhile, or is somebody else's
        return alive


def wait_until(is_so, explain=lambda: ""):
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, explain()
        time.sleep(0.02)  # bounded polling: another process gives no signal


@pytest.fixture
def supervise(tmp_path):
    started = []

    def start(processes, listener=None, port=None):
        started.append(Supervised(tmp_path, processes, listener, port))
        return started[-1]

    yield start
    for supervised in started:
        if supervised.process.poll() is None:
            supervised.process.terminate()
            supervised.process.wait(SECONDS)


def test_output_of_the_processes_is_printed_under_their_names(supervise):
    supervised = supervise({"web": python("print('hello\\n\\xff', flush=True); import time; time.sleep(600)")})
    supervised.wait_for("web      | hello")


def test_the_end_of_one_process_ends_the_others_and_gives_its_code(supervise):
    supervised = supervise({"web": python(SLEEP), "worker": python("raise SystemExit(7)")})
    assert supervised.process.wait(SECONDS) == 7
    assert "worker   | ended with code 7" in supervised.printed
    assert supervised.left_behind() == []


def test_a_process_that_ends_without_an_error_was_not_asked_to(supervise):
    assert supervise({"web": python("pass")}).process.wait(SECONDS) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_of_them(supervise, number):
    supervised = supervise({"web": python(SLEEP), "worker": python(SLEEP)})
    supervised.wait_for("| up", times=2)
    supervised.process.send_signal(number)
    assert supervised.process.wait(SECONDS) == 128 + number
    assert supervised.left_behind() == []
    assert not supervised.folder.exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel of Linux does it")
def test_a_supervisor_that_is_killed_leaves_no_process_behind(supervise):
    supervised = supervise({"web": python(SLEEP), "worker": python(SLEEP)})
    supervised.wait_for("| up", times=2)
    supervised.process.kill()
    supervised.process.wait(SECONDS)
    wait_until(lambda: supervised.left_behind() == [])


def test_a_process_that_is_marked_so_is_started_again(supervise):
    supervised = supervise({"web": python(SLEEP), "renderer": python("print('there', flush=True)", restart=True)})
    supervised.wait_for("renderer | there", times=2)
    assert supervised.process.poll() is None


@pytest.mark.parametrize(
    ("code", "expected_text"), [("pass", ""), ("raise SystemExit(4)", "demo     | ended with code 4; the next")]
)
def test_a_process_that_is_marked_so_may_end_alone(supervise, code, expected_text):
    once = {**python(f"print('at work', flush=True); {code}"), "ends": True}
    supervised = supervise({"web": python(SLEEP), "demo": once})
    supervised.wait_for("demo     | at work")
    supervised.wait_for(expected_text)
    time.sleep(0.3)  # in which the others would be ended
    assert supervised.process.poll() is None
    supervised.process.send_signal(signal.SIGTERM)
    assert supervised.process.wait(SECONDS) == 128 + signal.SIGTERM


def test_a_waiting_process_starts_when_the_address_responds(supervise):
    port = free_port()
    supervised = supervise({"web": python(ANSWER, str(port)), "worker": {**python(SLEEP), "waits": True}}, port=port)
    supervised.wait_for("worker   | up")
    supervised.wait_for("answered /livez")  # a separate thread prints it at any time
    assert supervised.printed.index("ready") < supervised.printed.index("worker   | up")
    assert "refused first" in supervised.printed


def test_a_process_that_keeps_ending_waits_longer_before_each_start(supervise):
    supervised = supervise({"web": python(SLEEP), "worker": python("raise SystemExit(3)", restart=True)})
    for pause in ("0.5", "1", "2"):
        supervised.wait_for(f"worker   | ended with code 3, starts again in {pause} s")
    assert supervised.process.poll() is None


def test_a_process_that_ends_early_too_often_is_given_up_and_the_others_are_ended(supervise):
    failing = python("print('no disk', flush=True); raise SystemExit(3)", restart=True, most_early_ends=3)
    supervised = supervise({"web": failing, "worker": python(SLEEP)})
    assert supervised.process.wait(SECONDS) == 3
    assert supervised.printed.count("web      | no disk") == 3
    assert supervised.printed.count("starts again") == 2
    sentence = (
        "web      | ended with code 3, 3 times in a row within 60 s of its start: it is not started again, and "
        "everything else is ended. The lines of web above say why."
    )
    assert sentence in supervised.printed
    assert supervised.left_behind() == []


def test_a_process_that_ends_before_the_address_answered_ends_the_others_immediately(supervise):
    port = free_port()
    failing = python("raise SystemExit(3)", restart=True, most_early_ends=3)
    supervised = supervise({"web": failing, "worker": python(SLEEP)}, port=port)
    assert supervised.process.wait(SECONDS) == 3
    assert supervised.printed.count("web      | ended with code 3\n") == 1


def test_a_process_that_answered_once_is_started_again(supervise):
    port = free_port()
    answering = python(ANSWER_TWO_REQUESTS, str(port), restart=True, most_early_ends=3)
    supervised = supervise({"web": answering, "worker": python(SLEEP)}, port=port)
    supervised.wait_for("web      | ended with code 0, starts again in 0.5 s")
    assert supervised.process.poll() is None


def test_a_signal_is_answered_while_a_process_waits_for_its_start(supervise):
    supervised = supervise({"web": python(SLEEP), "worker": python("pass", restart=True)})
    supervised.wait_for("starts again in 16 s")
    supervised.process.send_signal(signal.SIGTERM)
    assert supervised.process.wait(15) == 128 + signal.SIGTERM
    assert supervised.left_behind() == []


def test_the_others_reach_the_process_that_listens_whenever_it_comes_up(supervise):
    listener = python(LISTEN.format(then="print('accepted', flush=True); os._exit(0)"), "{socket}", restart=True)
    supervised = supervise({"web": python(CONNECT), "renderer": listener}, listener="renderer")
    supervised.wait_for("web      | connected")
    supervised.wait_for("renderer | accepted")
    supervised.wait_for("renderer | waits", times=2)


def test_it_loads_no_django():
    code = "import sys, registry.supervisor; print('django' in sys.modules, 'celery' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_a_process_gets_its_niceness(supervise):
    say = "import os; print('nice', os.nice(0), flush=True); import time; time.sleep(600)"
    supervised = supervise({"web": python(say), "worker": {**python(say), "niceness": 5}})
    base = os.nice(0)
    supervised.wait_for("| nice", 2)
    said = {line.split()[-1] for line in supervised.printed.splitlines() if "| nice" in line}
    assert said == {str(base), str(min(base + 5, 19))}


FORK = """
import json, os, sys, tempfile
readable, writable = os.pipe()
begins, start = os.pipe()
pid = os.fork()
if pid == 0:
    os.setsid()
    os.dup2(writable, 1)
    os.close(start)
    exec(sys.argv[1])
    os._exit(0)
os.close(writable)
os.close(begins)
os.set_inheritable(readable, True)
os.set_inheritable(start, True)
processes = {"web": {"forked": {"pid": pid, "output": readable, "start": start}, **json.loads(sys.argv[2])}}
with tempfile.TemporaryFile() as file:
    file.write(json.dumps({"processes": processes, "host": "", "port": None, "banner": []}).encode())
    file.seek(0)
    os.set_inheritable(file.fileno(), True)
    os.execv(sys.executable, [sys.executable, "-m", "registry.supervisor", str(file.fileno())])
"""


def fork_supervised(child, **planned):
    """A program that forks a process, which runs this code, and becomes its supervisor."""
    command = [sys.executable, "-c", FORK, child, json.dumps(planned)]
    return start_child(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_a_process_that_was_forked_before_is_watched_like_the_others():
    with fork_supervised("print('forked', flush=True); os._exit(7)") as supervisor:
        printed, _ = supervisor.communicate(timeout=SECONDS)
    assert supervisor.returncode == 7
    assert "web      | forked" in printed
    assert "web      | ended with code 7" in printed


def test_a_process_that_was_forked_before_is_ended_by_a_signal():
    child = "print(os.getpid(), flush=True); import time; time.sleep(600)"
    with fork_supervised(child) as supervisor:
        assert supervisor.stdout is not None
        pid = int(supervisor.stdout.readline().split()[-1])
        supervisor.send_signal(signal.SIGTERM)
        assert supervisor.wait(SECONDS) == 128 + signal.SIGTERM
    assert not Path(f"/proc/{pid}").exists()


def test_a_process_that_was_forked_before_begins_when_the_supervisor_starts_it():
    child = "print('told', os.read(begins, 1), flush=True); os._exit(7)"
    with fork_supervised(child) as supervisor:
        printed, _ = supervisor.communicate(timeout=SECONDS)
    assert "web      | told b'1'" in printed


def test_a_process_that_was_forked_before_is_launched_when_it_has_ended():
    again = python("print('launched', flush=True); import time; time.sleep(600)", restart=True)  # until it is ended
    with fork_supervised("print('forked', flush=True); os._exit(7)", **again) as supervisor:
        assert supervisor.stdout is not None
        lines = [supervisor.stdout.readline() for _ in range(3)]
        supervisor.send_signal(signal.SIGTERM)
        assert supervisor.wait(SECONDS) == 128 + signal.SIGTERM
    assert [line.partition("| ")[2].strip() for line in lines] == [
        "forked",
        "ended with code 7, starts again in 0.5 s",
        "launched",
    ]


def test_a_process_that_ended_before_it_began_is_reported():
    with fork_supervised("os.close(begins); os._exit(7)") as supervisor:
        printed, _ = supervisor.communicate(timeout=SECONDS)
    assert supervisor.returncode == 7
    assert "Traceback" not in printed


LATE_CHILD = """
import os, signal, sys, time
from registry import supervisor
signal.signal(signal.SIGTERM, lambda *_: print("swallowed", flush=True))
parent = os.getpid()
if os.fork() == 0:
    while os.getppid() == parent:
        time.sleep(0.01)
    supervisor._prepare_child(parent, 0)
    print("still there", flush=True)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel of Linux does it")
def test_a_child_whose_parent_is_killed_before_it_has_become_its_program_ends():
    ended = subprocess.run(
        [sys.executable, "-c", LATE_CHILD], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False
    )  # waits for the child too, which has the pipe
    assert (ended.stdout, ended.stderr) == ("", "")
