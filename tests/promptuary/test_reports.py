"""What a client reports about its renderings: numbers and names, never values."""

import json
import subprocess
import sys
import time
from typing import Any

import pytest

from promptuary import Promptuary
from promptuary._usage import Usage
from promptuary.renderer import RenderError
from tests.promptuary.conftest import NAME, URL

SECRET = "4111 1111 1111 1111"


@pytest.fixture
def client(world):
    with Promptuary(URL, "key", transport=world.registry) as client:
        yield client


def test_renders_failures_tokens_and_names_of_inputs_are_counted_for_each_digest(world, client):
    template = client.get(NAME)
    for _ in range(3):
        template.render({"question": SECRET})
    with pytest.raises(RenderError):
        template.render({"other": SECRET})
    client.render(NAME, {"question": "Why?", "tone": "warm"}, ref=2)
    client.close()
    first, second = sorted(world.registry.reports, key=lambda report: -report["renders"])
    assert (first["name"], first["digest"], first["renders"]) == (NAME, template.digest, 3)
    assert list(first["failures"].values()) == [1]
    assert sum(first["tokens"].values()) == 3
    assert (first["inputs"], second["inputs"]) == ({"question": 3}, {"question": 1, "tone": 1})
    assert SECRET not in json.dumps(world.registry.reports)


def test_token_counts_are_rounded_up_to_two_digits(world, client):
    client.usage.count_renders(client.get(NAME), [7, 42, 812, 1201, 0], {})
    assert client.usage.take()[0]["tokens"] == {"7": 1, "42": 1, "820": 1, "1300": 1, "0": 1}


def test_a_report_that_does_not_arrive_is_counted_and_goes_into_the_next(world, client):
    client.render(NAME, {"question": "Why?"})
    world.registry.down = True
    client._keeper.report()
    assert (client.usage.failed, world.registry.reports) == (1, [])
    world.registry.down = False
    client.render(NAME, {"question": "Why?"})
    client._keeper.report()
    assert [report["renders"] for report in world.registry.reports] == [2]


def test_reports_can_be_turned_off(world):
    with Promptuary(URL, "key", reports=False, transport=world.registry) as client:
        client.render(NAME, {"question": "Why?"})
        assert client.usage is None
    assert world.registry.reports == []


def test_a_body_of_the_callers_own_is_not_counted(client):
    client.get(NAME).render({}, prompt="- name: a\n  content: b\n")
    assert client.usage.take() == []


def test_invalid_and_excess_names_are_left_out(world, client):
    usage = Usage()
    template = client.get(NAME)
    odd_names: dict[Any, int] = {"x" * 101: 1, 5: 1}
    usage.count_renders(template, [1], {**odd_names, **{f"n{number}": 1 for number in range(300)}})
    assert len(usage.take()[0]["inputs"]) == 200


def test_more_templates_than_a_report_holds_are_counted_as_dropped():
    class Many:
        name = NAME

        def __init__(self, number):
            self.digest = f"sha256:{number}"

    usage = Usage()
    for number in range(510):
        usage.count_renders(Many(number), [1], {})
    assert (len(usage.take()), usage.dropped) == (500, 10)


PROGRAM = """
import sys
from promptuary import FakeTransport, Promptuary
registry = FakeTransport()
registry.put("support/a", "- name: a\\n  content: b\\n", "production")
class Told(FakeTransport):
    def send(self, request):
        if request.path == "/api/v1/reports":
            print(request.body.decode(), flush=True)
        return registry.send(request)
client = Promptuary("https://registry.test", "key", transport=Told())
client.render("support/a", {})
"""


def test_a_process_that_ends_tells_what_it_rendered():
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(ran.stdout)["reports"][0]["renders"] == 1
    assert ran.stderr == ""


SILENT = """
import socket, time
from promptuary import FakeTransport, Promptuary
from promptuary._transport import Request
registry = FakeTransport()
registry.put("support/a", "- name: a\\n  content: b\\n", "production")
class Silent(FakeTransport):
    def send(self, request):
        if request.path != "/api/v1/reports":
            return registry.send(request)
        time.sleep(request.timeout)
        return registry.send(Request("GET", "/api/v1/templates/support/none@1", 1))
clients = [Promptuary("https://registry.test", "key", timeout=0.5, transport=Silent()) for _ in range(5)]
for client in clients:
    client.render("support/a", {})
print(time.time(), flush=True)
"""


def test_the_end_of_a_process_is_held_up_no_longer_than_a_failing_call():
    ran = subprocess.run([sys.executable, "-c", SILENT], capture_output=True, text=True, timeout=60, check=True)
    assert time.time() - float(ran.stdout) < 3  # 0.5 s, not five times as much, and what the interpreter takes to end
