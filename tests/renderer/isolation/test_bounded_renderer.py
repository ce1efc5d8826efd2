"""The bounded renderer: hostile documents fail with an error at their line, and all others are served."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, cast

import pytest

from promptuary.renderer import DocumentError, InputError, LimitError, RenderError, TokenizerError
from promptuary.renderer.isolation import renderer as bounded_renderer
from promptuary.renderer.isolation.renderer import BoundedRenderer, BusyError
from tests.support.server_process import wait_until

GOOD = "---\ninputs:\n  name: {type: string}\n---\n- name: greeting\n  content: Hello {{ name }}\n"
PATTERN = (
    "---\ninputs:\n  name:\n    type: string\n    pattern: '^(?=a)(a+)+$'\n---\n- name: x\n  content: '{{ name }}'\n"
)
LOOPS = (
    "- name: x\n  content: |\n    one\n    {% for i in range(99999) %}{% for j in range(99999) %}"
    "{% endfor %}{% endfor %}\n"
)
DOUBLING = (
    "- name: x\n  content: |\n    {% set ns = namespace(s='0123456789') %}\n"
    "    {% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s }}\n"
)
HOSTILE = {
    "a power": ("- name: x\n  content: |\n    one\n    {{ 9**(9**8) }}\n", 4),
    "nested ranges": (LOOPS, 4),
    "a macro that calls itself": (
        (
            "- name: x\n  content: |\n    {% macro f(n) %}{{ f(n - 1) ~ f(n - 2) if n > 1 }}{% endmacro %}\n"
            "    {{ f(90) }}\n"
        ),
        3,
    ),
    "doubling text": (DOUBLING, 4),
    "deep YAML": ("- " * 25_000, 1),
    "an alias bomb": ("- name: a\n  content: &a [x, x]\n- name: b\n  content: [*a, *a]\n", 2),
    "a pattern that backtracks": (PATTERN, 5),
}


SLOW_CLOCK_FACTOR = 60


@pytest.fixture(scope="module")
def bounded():
    renderer = BoundedRenderer(cpu_seconds=0.8)
    renderer.start()
    yield renderer
    renderer.close()


@pytest.fixture
def slow_clock(monkeypatch):
    """Let a child wait long for its processor time, as on a busy machine, before the clock ends it."""
    monkeypatch.setattr(bounded_renderer, "CLOCK_FACTOR", SLOW_CLOCK_FACTOR)


def render_good(bounded, name="Ada"):
    # What is asked here is whether it is right; a busy machine may take its time.
    return bounded.render(GOOD, {"name": name}, cpu_seconds=10)["messages"]


def memory_of(process_id):
    fields = Path(f"/proc/{process_id}/status").read_text().split()
    return int(fields[fields.index("VmRSS:") + 1]) // 1024


def children_of(process_id):
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended while we looked
        if int(fields[1]) == process_id:
            yield int(folder.name)


def test_a_good_document_renders(bounded):
    result = bounded.render(GOOD, {"name": "Ada"})
    assert result["messages"] == [{"role": "user", "content": "Hello Ada"}]
    assert result["preview"][0]["spans"][0]["expression"] == "name"
    assert bounded.render(GOOD, {"name": "Ada"}, target="text")["text"] == "Hello Ada"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_is_stopped_at_its_line_by_its_processor_time(bounded, slow_clock, name):
    document, line = HOSTILE[name]
    render_good(bounded)
    with pytest.raises((LimitError, DocumentError)) as caught:
        bounded.render(document, {"name": "a" * 40 + "b"})
    assert f"longer than {0.8 * SLOW_CLOCK_FACTOR:.1f} seconds" not in str(caught.value)  # the clock's bound
    assert caught.value.line == line
    assert render_good(bounded) == [{"role": "user", "content": "Hello Ada"}]


@pytest.mark.parametrize("name", HOSTILE)
def test_checking_a_hostile_document_gives_a_problem_at_its_line(bounded, name):
    document, line = HOSTILE[name]
    result = bounded.validate(document, samples={"long": {"name": "a" * 40 + "b"}})
    assert line in [problem.line for problem in result if problem.severity == "error"]


def test_an_error_comes_back_as_the_class_it_was(bounded):
    with pytest.raises(InputError) as caught:
        bounded.render(GOOD, {"name": 7})
    assert (caught.value.path, caught.value.line) == ("name", 3)
    with pytest.raises(InputError, match="missing"):
        bounded.render(GOOD, {})


def test_a_fault_of_our_own_is_reported_as_one(bounded):
    with pytest.raises(RenderError, match="a fault of Promptuary"):
        bounded.render(GOOD, {"name": "Ada"}, truncation_stop=3)


def test_data_that_are_not_json_are_refused(bounded):
    with pytest.raises(InputError, match="not plain JSON"):
        bounded.render(GOOD, {"name": object()})


def test_a_tokenizer_must_be_a_known_name(bounded):
    with pytest.raises(TokenizerError, match="no tokenizer named '/etc/passwd"):
        bounded.render(GOOD, {"name": "Ada"}, tokenizer="/etc/passwd.json")


def test_an_answer_beyond_the_cap_is_refused():
    small = BoundedRenderer(output_bytes=20_000)
    try:
        with pytest.raises(LimitError, match="at most 20,000"):
            small.render(GOOD, {"name": "x" * 50_000})
        assert render_good(small)
    finally:
        small.close()


def test_many_samples_render_in_one_child(bounded):
    samples = {f"sample {number}": {"name": f"name {number}"} for number in range(50)} | {"wrong": {"name": 1}}
    result = bounded.render_samples(GOOD, samples, cpu_seconds=10)
    assert result["sample 7"]["messages"][0]["content"] == "Hello name 7"
    assert isinstance(result["wrong"], InputError)


def test_only_rows_that_the_inputs_refuse_are_found(bounded):
    rows = {"right": {"name": "Ada"}, "wrong": {"name": 1}, "missing": {}}
    input_errors = bounded.find_input_errors(GOOD, rows)
    assert {name: error.path or error.variable for name, error in input_errors.items()} == {
        "wrong": "name",
        "missing": "name",
    }
    nested = "---\ninputs: {who: {type: object}}\n---\n- name: a\n  content: |\n    {{ who.name }}\n"
    assert set(bounded.find_input_errors(nested, {"bare": {"who": {}}, "full": {"who": {"name": "Ada"}}})) == {"bare"}
    too_long = "---\ntoken_limit: 5\n---\n- name: a\n  content: |\n    {{ text }}\n"
    assert bounded.find_input_errors(too_long, {"long": {"text": "word " * 50}}) == {}


def test_bundles_are_compared(bounded):
    def bundle(document):
        return {"engine": 1, "document": document, "fragments": {}, "profile": None}

    assert bounded.compare(bundle(GOOD), bundle(GOOD)) == []
    assert bounded.compare(bundle(GOOD), bundle(GOOD.replace("name: {", "age: {type: number}\n  name: {")))


def test_a_schema_is_checked(bounded):
    assert bounded.check_schema({"type": "string"}, "x") is None
    assert bounded.check_schema({"type": "strin"}) is not None
    assert "not of type" in bounded.check_schema({"properties": {"a": {"type": "string"}}}, {"a": 1})
    with pytest.raises(LimitError):
        bounded.check_schema({"type": "string", "pattern": "^(?=a)(a+)+$"}, "a" * 40 + "b", cpu_seconds=0.3)


def test_many_replies_are_read_in_one_child(bounded):
    document = "---\noutput: {schema: {type: object}}\n---\n- name: a\n  content: b\n"
    result = bounded.read_many(document, {"good": (['{"x": 1}'], {}), "bad": (["nothing"], {})})
    assert result["good"] == bounded.read(document, ['{"x": 1}'])
    assert isinstance(result["bad"], RenderError)


def test_threads_are_served_concurrently(bounded):
    answers = {}

    def work(number):
        answers[number] = render_good(bounded, f"n{number}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: [{"role": "user", "content": f"Hello n{number}"}] for number in range(12)}


def test_more_than_may_wait_are_refused_as_busy():
    narrow = BoundedRenderer(max_children=1, max_waiting=0, cpu_seconds=1.0)
    narrow.start()
    slow = threading.Thread(target=lambda: narrow.validate(LOOPS))
    try:
        slow.start()
        deadline = time.monotonic() + 2
        while narrow._inside == 0 and time.monotonic() < deadline:
            time.sleep(0.01)  # bounded polling: another process gives no signal
        with pytest.raises(BusyError, match="try again"):
            render_good(narrow)
        slow.join()
        assert render_good(narrow)
    finally:
        slow.join()
        narrow.close()


def test_a_dead_fork_server_is_started_again(bounded):
    render_good(bounded)
    os.kill(bounded._fork_server.process_id, signal.SIGKILL)
    assert render_good(bounded)


def test_closing_leaves_no_process():
    renderer = BoundedRenderer()
    render_good(renderer)
    process_id = renderer._fork_server.process_id
    renderer.close()
    assert not Path(f"/proc/{process_id}").exists()


def test_secrets_of_the_environment_stay_behind(bounded, monkeypatch):
    monkeypatch.setenv("PROMPTUARY_SECRET_KEY", "hidden")
    renderer = BoundedRenderer()
    render_good(renderer)
    assert b"hidden" not in Path(f"/proc/{renderer._fork_server.process_id}/environ").read_bytes()
    renderer.close()


def test_the_fork_server_ends_with_a_process_that_was_killed():
    script = (
        "import time; from promptuary.renderer.isolation.renderer import BoundedRenderer; "
        "b = BoundedRenderer(); b.start(); "
        "print(b._fork_server.process_id, flush=True); time.sleep(60)"
    )
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen([sys.executable, "-c", script], cwd=root, stdout=subprocess.PIPE) as owner:
        fork_server = Path("/proc") / owner.stdout.readline().decode().strip()
        assert fork_server.exists()
        owner.kill()
        owner.wait()
    deadline = time.monotonic() + 10
    while fork_server.exists() and time.monotonic() < deadline:
        time.sleep(0.05)  # bounded polling: another process gives no signal
    assert not fork_server.exists()


@pytest.mark.slow
def test_a_forked_process_starts_a_fork_server_of_its_own(bounded):
    render_good(bounded)
    child = os.fork()
    if child == 0:
        same = bounded._fork_server.process_id is None and bool(render_good(bounded))
        bounded.close()
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert render_good(bounded)


@pytest.mark.slow
def test_a_hundred_hostile_documents_leave_a_hundred_good_ones_right():
    renderer = BoundedRenderer(cpu_seconds=0.05)
    renderer.start()
    render_good(renderer)
    before = memory_of(renderer._fork_server.process_id)
    hostile = [document for document, _ in HOSTILE.values()]
    for number in range(100):
        with pytest.raises((LimitError, DocumentError)):
            renderer.render(hostile[number % len(hostile)], {"name": "a" * 40 + "b"})
    for number in range(100):
        assert render_good(renderer, f"n{number}") == [{"role": "user", "content": f"Hello n{number}"}]
    assert memory_of(renderer._fork_server.process_id) - before < 20
    renderer.close()


def busy_children_of(process_id):
    """Of the children, those that have used a twentieth of a second of processor time: they are rendering."""
    for child in children_of(process_id):
        with contextlib.suppress(OSError):  # it has ended
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            if int(fields[11]) + int(fields[12]) >= os.sysconf("SC_CLK_TCK") / 20:
                yield child


@pytest.fixture
def signal_child(bounded):
    """Send signals to the child as soon as it is rendering, each after some seconds."""
    threads = []

    def send(*signals):
        def work():
            wait_until(lambda: list(busy_children_of(fork_server)))
            for seconds, number in signals:
                time.sleep(seconds)  # how long a child is stopped is what these tests are about
                for process_id in children_of(fork_server):
                    os.kill(process_id, number)

        render_good(bounded)
        fork_server = bounded._fork_server.process_id
        wait_until(lambda: not list(children_of(fork_server)))  # the one that rendered has ended
        threads.append(threading.Thread(target=work))
        threads[-1].start()

    yield send
    for thread in threads:
        thread.join()


def test_time_in_which_a_child_has_no_processor_does_not_count(bounded, signal_child, slow_clock):
    signal_child((0, signal.SIGSTOP), (1.5, signal.SIGCONT))
    started = time.monotonic()
    with pytest.raises(LimitError, match=r"longer than 0\.8 seconds") as caught:
        bounded.render(LOOPS, {})
    assert time.monotonic() - started > 2
    assert caught.value.line == 4


def test_a_child_that_gets_no_processor_is_stopped_by_the_clock(bounded, signal_child, monkeypatch):
    monkeypatch.setattr(bounded_renderer, "CLOCK_FACTOR", 0.3)  # there is processor time left when the clock ends it
    signal_child((0, signal.SIGSTOP), (2, signal.SIGCONT))
    started = time.monotonic()
    with pytest.raises(LimitError, match=r"longer than 1\.5 seconds"):
        bounded.render(LOOPS, {}, cpu_seconds=5)
    assert time.monotonic() - started < 1.5 + 10
    wait_until(lambda: not list(children_of(bounded._fork_server.process_id)), 10)  # its own timer ends it


def test_a_child_ended_from_outside_is_not_a_timeout(bounded, signal_child):
    signal_child((0, signal.SIGKILL))
    with pytest.raises(LimitError, match="ended from outside") as caught:
        bounded.render(LOOPS, {}, cpu_seconds=5)
    assert caught.value.line == 4


class NoForkServer:
    """A fork server on a machine that can't start processes, or whose processes end immediately."""

    process_id = None

    def __init__(self, error=None):
        self.error = error

    def order(self, order, connection):
        if self.error:
            raise self.error

    def close(self):
        pass


@pytest.mark.parametrize("error", [OSError("no more processes"), None])
def test_a_fork_server_that_cannot_start_is_no_fault_of_the_document(error):
    renderer = BoundedRenderer()
    renderer._fork_server = cast("Any", NoForkServer(error))
    for call in (renderer.render, renderer.validate):
        with pytest.raises(BusyError, match="try again") as caught:
            call(GOOD)
        assert caught.value.line is None
