"""Scores that a service reports with its template."""

import math
from typing import Any

import pytest

from promptuary import Promptuary, renderer
from promptuary._outcomes import MAX_IN_A_REPORT, MAX_WAITING, Outcomes
from promptuary.errors import Refused
from promptuary.template import Template
from promptuary.testing import FakeTransport
from tests.promptuary.conftest import DOCUMENT, NAME, URL


@pytest.fixture
def client(world):
    with Promptuary(URL, "key", transport=world.registry) as client:
        yield client


def test_scores_of_a_reply_are_sent_for_its_version(world, client):
    template = client.get(NAME)
    assert template.report(helpful=True, cites_source=0.5, trace_id="t1", bucket="user 7")
    client.close()
    place = {"template": NAME, "digest": template.digest, "trace_id": "t1", "bucket": "user 7"}
    assert world.registry.outcomes == [
        {**place, "name": "helpful", "value": 1.0},
        {**place, "name": "cites_source", "value": 0.5},
    ]


def test_scores_without_ids_carry_none(world, client):
    template = client.get(NAME)
    template.report(score=3)
    client.close()
    assert world.registry.outcomes == [
        {"template": NAME, "digest": template.digest, "name": "score", "value": 3.0},
    ]


def test_undelivered_outcomes_are_sent_with_the_next_report_in_order(world, client):
    template = client.get(NAME)
    template.report(score=1)
    world.registry.down = True
    client._keeper.report()
    world.registry.down = False
    template.report(score=2)
    client._keeper.report()
    assert [outcome["value"] for outcome in world.registry.outcomes] == [1.0, 2.0]


def test_many_scores_go_in_several_reports(world, client):
    template = client.get(NAME)
    for number in range(MAX_IN_A_REPORT + 1):
        template.report(score=number)
    client._keeper.report()
    sent = [request for request in world.registry.requests if request.path == "/api/v1/outcomes"]
    assert len(sent) == 2
    assert [outcome["value"] for outcome in world.registry.outcomes] == list(range(MAX_IN_A_REPORT + 1))


def test_refused_outcomes_are_dropped_and_counted(world):
    class Refusing(FakeTransport):
        def send(self, request):
            if request.path == "/api/v1/outcomes":
                raise Refused(400, {"title": "No"})
            return world.registry.send(request)

    with Promptuary(URL, "key", transport=Refusing()) as client:
        client.get(NAME).report(score=1)
        client._keeper.report()
        assert client.usage is not None
        assert (client.usage.outcomes.dropped, len(client.usage.outcomes)) == (1, 0)


def test_the_oldest_go_where_too_many_wait():
    outcomes = Outcomes()
    outcomes.add({"value": number} for number in range(MAX_WAITING + 2))
    assert outcomes.dropped == 2
    assert outcomes.take()[0] == {"value": 2}


def test_a_client_without_reports_takes_none(world):
    with Promptuary(URL, "key", reports=False, transport=world.registry) as client:
        assert not client.get(NAME).report(score=1)
    assert world.registry.outcomes == []


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ({}, "at least one score"),
        ({"Helpful": 1}, "'Helpful' can't name a score"),
        ({"a" * 400: 1}, "1 to 60 lower-case letters"),
        ({"helpful": math.nan}, "helpful is a number"),
        ({"helpful": 10**5000}, "not a larger one"),
        ({"helpful": 1e9}, "helpful is a number"),
        ({"helpful": "good"}, "helpful is a number"),
        ({"helpful": 1, "trace_id": ""}, "trace_id is a text"),
        ({"helpful": 1, "bucket": "x" * 101}, "bucket is a text"),
    ],
)
@pytest.mark.parametrize("reports", [True, False])
def test_something_that_is_not_a_score_is_refused_immediately(world, scores: dict[str, Any], sentence, reports):
    with (
        Promptuary(URL, "key", reports=reports, transport=world.registry) as client,
        pytest.raises(ValueError, match=sentence),
    ):
        client.get(NAME).report(**scores)
    assert world.registry.outcomes == []


def test_a_template_of_no_registry_takes_no_scores():
    assert not Template.adopt(renderer.load(DOCUMENT)).report(score=1)


def test_prompts_that_lost_text_to_the_limit_are_counted(world):
    world.registry.put("support/cut", '- name: a\n  content: "{{ text }}"\n  truncation_priority: 1\n', "production")
    with Promptuary(URL, "key", transport=world.registry) as client:
        template = client.get("support/cut")
        template.render({"text": "word " * 50})
        template.render({"text": "word " * 50}, token_limit=10)
    (report,) = world.registry.reports
    assert (report["renders"], report["cut"]) == (2, 1)


def test_cut_prompts_survive_a_report_that_does_not_arrive(world, client):
    client.usage.count_renders(client.get(NAME), [7], {}, cut=1)
    world.registry.down = True
    client._keeper.report()
    world.registry.down = False
    client._keeper.report()
    assert [report["cut"] for report in world.registry.reports] == [1]
