"""Rendering in child processes of a service that has only the client installed, without the server."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from promptuary import BoundedRenderer, renderer
from promptuary.renderer.errors import LimitError

ROOT = Path(__file__).parents[2]
TEXT = "---\nformat: text\ninputs:\n  n: {type: integer}\n---\n"
GOOD = TEXT + "{{ n }} is a number\n"
ENDLESS = TEXT + (
    "fine\n{% for i in range(n) %}{% for j in range(n) %}{% for k in range(n) %}{% endfor %}{% endfor %}{% endfor %}\n"
)


@pytest.fixture(scope="module")
def bounded():
    made = BoundedRenderer(cpu_seconds=1.0)
    yield made
    made.close()


def test_a_template_renders_in_a_child_as_it_does_here(bounded):
    template = renderer.from_bundle({**renderer.load(GOOD).bundle(), "name": "support/reply", "version": 3})
    here = template.render({"n": 7}).to_dict("messages")
    there = bounded.render_template(template, {"n": 7})
    assert {key: there[key] for key in here} == here


def test_a_template_without_end_raises_a_typed_error_with_the_author_s_line(bounded):
    with pytest.raises(LimitError) as caught:
        bounded.render_template(renderer.load(ENDLESS), {"n": 90_000})
    assert caught.value.line == 7
    assert bounded.render_template(renderer.load(GOOD), {"n": 1})["parts"]


def test_an_error_of_the_data_is_the_one_that_a_template_raises(bounded):
    with pytest.raises(renderer.InputError) as caught:
        bounded.render_template(renderer.load(GOOD), {"n": "x"})
    assert caught.value.path == "n"


def test_replies_are_read_in_a_child(bounded):
    template = renderer.load("---\nformat: text\noutput: {schema: {type: object}}\n---\nx\n")
    assert bounded.read_template(template, '{"a": 1}') == {"results": [{"a": 1}]}
    with pytest.raises(renderer.OutputError):
        bounded.read_template(template, "{" * 200_000)


def test_a_template_with_functions_of_the_caller_s_own_is_refused(bounded):
    template = renderer.load("---\nformat: text\n---\n{{ now() }}\n", functions={"now": lambda: "noon"})
    with pytest.raises(renderer.InputError, match="functions"):
        bounded.render_template(template, {})


SERVICE = """
import os, sys, threading
import promptuary
from promptuary import renderer
from promptuary import BoundedRenderer

GOOD, ENDLESS = sys.argv[1], sys.argv[2]
bounded = BoundedRenderer(cpu_seconds=1.0)
good = renderer.load(GOOD)

def texts():
    return bounded.render_template(good, {"n": 5})["parts"][0]["content"]

texts()  # the first call starts the process that the others come from
found = []
threads = [threading.Thread(target=lambda: found.append(texts())) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert len(found) == 3 and len(set(found)) == 1, found
child = os.fork()
if child == 0:
    try:
        assert texts() == found[0]
        bounded.close()
        os._exit(0)
    finally:
        os._exit(1)
assert os.waitpid(child, 0)[1] == 0
try:
    bounded.render_template(renderer.load(ENDLESS), {"n": 90000})
except renderer.LimitError as error:
    print("stopped at line", error.line)
assert texts() == found[0]
assert not {"django", "registry", "frontend"} & set(sys.modules)
bounded.close()
"""


@pytest.mark.slow
def test_it_works_in_a_plain_client_with_threads_and_after_a_fork(tmp_path):
    (tmp_path / "promptuary").symlink_to(ROOT / "promptuary")
    script = tmp_path / "service.py"
    script.write_text(textwrap.dedent(SERVICE))
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-P", str(script), GOOD, ENDLESS]
    done = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "stopped at line 7"), done.stderr
