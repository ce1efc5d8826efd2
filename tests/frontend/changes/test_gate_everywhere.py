"""Home, the list, the page and the API agree on what blocks a request and how to resolve it."""

import html

import pytest

from registry.changes import decisions, rules
from registry.changes import gate as change_gate
from registry.changes import queries as change_queries
from registry.changes import services as deciding
from registry.core.errors import ApprovalRequired
from registry.evaluations import datasets
from registry.evaluations.models import Attachment
from registry.namespaces import services as namespace_services
from tests.frontend.conftest import read_html


@pytest.fixture
def unmeasured(reply):
    """The required evaluation is attached with a model that the operator lists no more."""
    admin = reply.actor("admin")
    rules.set_rules(actor=admin, namespace="support", required_checks=["evaluation"])
    row = '{"id": "a", "inputs": {"question": "Why?"}, "expected": {"answer": "So"}}\n'
    dataset = datasets.save_dataset(actor=reply.actor("author"), name="support/answers", text=row).dataset
    Attachment.objects.create(
        namespace=dataset.namespace,
        name="answers",
        pattern="*",
        dataset=dataset,
        model="gone",
        gates=["rouge_1 >= 0.5"],
        created_by=reply.people["admin"],
        created_at=dataset.created_at,
    )
    return reply.propose(2)


@pytest.mark.parametrize("role", ["author", "reviewer", "reader", "admin"])
def test_every_door_gives_the_same_blockers_and_advice(reply, browser, unmeasured, role):
    actor, client = reply.actor(role), browser(role)
    alone = change_gate.evaluate(change_queries.get_change(actor, unmeasured.number), actor)
    (listed,) = [gate for gate in change_gate.evaluate_pending(actor) if gate.change.number == unmeasured.number]
    assert (listed.blockers, listed.turn) == (alone.blockers, alone.turn)
    blockers = client.get(f"/api/v1/changes/{unmeasured.number}").json()["blockers"]
    assert blockers == [
        {"code": one.code, "cause": one.cause, "action": one.action, "next_slot": one.next_slot}
        for one in alone.blockers
    ]
    page = html.unescape(read_html(client.get(f"/changes/{unmeasured.number}")))
    for blocker in alone.blockers:
        assert blocker.action in page
    first = alone.blockers[0]
    assert first.action == "Ask the operator to list the model, or an admin for another one."
    page = html.unescape(read_html(client.get("/changes/")))
    assert first.cause in page
    assert first.action in page
    assert "it runs by itself" not in page
    if role != "reader":
        assert first.action in html.unescape(read_html(client.get("/")))
    assert "it runs by itself" not in page


def test_a_check_that_needs_an_action_is_not_shown_as_running(browser, unmeasured):
    page = read_html(browser("author").get(f"/changes/{unmeasured.number}"))
    checks = page[page.index('<ul class="checks">') :].partition("</ul>")[0]
    evaluation = checks[checks.index("Evaluation</b>") :]
    assert "not finished" in evaluation
    assert "running" not in evaluation
    assert "spins" not in checks.rpartition("Evaluation</b>")[0].rpartition("<li>")[2]


def test_a_role_taken_away_counts_at_publish(reply, browser):
    """Roles are read at publish: an approval by somebody who is no longer a reviewer doesn't count."""
    change = reply.propose(2)
    digest = change.version.digest
    decisions.decide_on_change(actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=digest)
    namespace_services.set_role(actor=reply.actor("admin"), namespace="support", username="reviewer", role="author")
    with pytest.raises(ApprovalRequired, match="Needs 1 more approval"):
        deciding.publish_change(actor=reply.actor("author"), number=change.number)
