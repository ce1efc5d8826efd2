"""The preview of a release's roll back in the API: where each label goes back to, and what blocks it."""

import pytest

from registry.changes import decisions, rules
from registry.namespaces import folder_roles
from registry.redaction import services as redaction_services
from registry.releases import proposals, roll_backs
from registry.releases import services as release_services
from registry.releases.plans import ReleaseSelection
from registry.rollouts import services as rollout_services
from registry.templates.models import Version
from tests.api.conftest import OTHER, THIRD, problem

ONE, TWO = "support/refunds/one", "support/two"
ADDRESS = "namespaces/support/releases/1/roll-back/preview"


def release_both(cast, version: int, label: str = "production") -> None:
    """Publish this version of both templates together."""
    selection = ReleaseSelection(versions={ONE: version, TWO: version})
    release = proposals.propose_release(
        actor=cast.actor("author"), namespace="support", label=label, title="Both", selection=selection
    ).release
    digests = {member.number: member.version.digest for member in release.members.select_related("version")}
    release_services.approve_release(actor=cast.actor("reviewer"), number=release.number, digests=digests)
    release_services.publish_release(actor=cast.actor("author"), number=release.number)


def save_both(cast) -> None:
    for name in (ONE, TWO):
        cast.save(OTHER, name=name, base=cast.save(name=name).version.digest)


def save_third(cast, name: str) -> None:
    cast.save(THIRD, name=name, base=Version.objects.get(template__name=name, number=2).digest)


@pytest.fixture
def live(cast) -> None:
    """Release 1 moved production of both from version 1 to version 2."""
    save_both(cast)
    for name in (ONE, TWO):
        cast.publish(1, name=name)
    release_both(cast, 2)


def read(caller, role="reviewer", **how):
    answer = caller(role, **how or {"session": True}).get(ADDRESS)
    assert answer.status_code == 200
    return answer.json()


def test_each_template_says_where_it_goes_back_to_and_what_follows(caller, live):
    answer = read(caller)
    assert (answer["release"], answer["label"], answer["ready"], answer["services"]) == (1, "production", True, 0)
    assert [(it["template"], it["serves"], it["version"], it["blocked_by"]) for it in answer["members"]] == [
        (ONE, 2, 1, ""),
        (TWO, 2, 1, ""),
    ]
    preview = caller("reviewer", session=True).get(f"templates/{ONE}/-/labels/production/preview?version=1").json()
    told = answer["members"][0]["preview"]
    assert told == {name: preview[name] for name in told}


def test_a_reader_learns_the_same_and_what_right_is_missing(caller, live):
    answer = read(caller, "reader")
    assert not answer["ready"]
    assert [it["blocked_by"] for it in answer["members"]] == ["", ""]
    assert all("You need the role reviewer to roll" in it["missing_right"] for it in answer["members"])


def test_a_role_in_a_folder_counts_there_only(cast, caller, live):
    folder_roles.set_folder_role(
        actor=cast.actor("admin"), namespace="support", folder="refunds", role="reviewer", person="author"
    )
    answer = read(caller, "author", session=True)
    assert [bool(it["missing_right"]) for it in answer["members"]] == [False, True]
    assert not answer["ready"]


def test_templates_already_rolled_back_or_moved_on_are_marked(cast, caller, live):
    roll_backs.roll_back_release(actor=cast.actor("reviewer"), number=1, reason="Wrong", templates=[ONE])
    answer = read(caller)
    assert (answer["members"][0]["rolled_back"], answer["ready"]) == (True, True)
    assert answer["members"][0]["blocked_by"] == f"production of {ONE} is back on version 1 already."
    save_third(cast, TWO)
    cast.publish(3, name=TWO)
    answer = read(caller)
    assert answer["members"][1]["blocked_by"] == f"production of {TWO} has moved on since."
    assert not answer["ready"]


def test_a_first_version_has_nothing_to_go_back_to(cast, caller):
    save_both(cast)
    release_both(cast, 1)
    answer = read(caller)
    assert [(it["version"], it["preview"], it["blocked_by"]) for it in answer["members"]] == [
        (None, None, f"production of {name} had no other version before.") for name in (ONE, TWO)
    ]


def test_a_rollout_blocks_it_until_it_is_stopped(cast, caller, live):
    save_third(cast, ONE)
    change = cast.propose(3, name=ONE)
    decisions.decide_on_change(
        actor=cast.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    rollout_services.start_rollout(actor=cast.actor("author"), change=change.number)
    assert "is in rollout 1" in read(caller)["members"][0]["blocked_by"]
    rollout_services.stop_rollout(actor=cast.actor("reviewer"), number=1, reason="Enough")
    assert read(caller)["members"][0]["blocked_by"] == ""


def test_a_redacted_version_blocks_it_with_the_words_of_the_refusal(cast, caller, live):
    redaction_services.redact_version(
        actor=cast.actor("admin"), name=ONE, version=1, reason="A name in it", everywhere=True
    )
    blocked = read(caller)["members"][0]["blocked_by"]
    assert "A name in it" in blocked
    act = caller("reviewer", session=True).post("namespaces/support/releases/1/roll-back", {"reason": "Wrong"})
    assert problem(act, 410, "gone")["detail"] == blocked


def test_a_version_that_nobody_approved_blocks_it_with_the_words_of_the_refusal(cast, caller):
    save_both(cast)
    for name in (ONE, TWO):
        cast.move("staging", 1, name=name)
    rules.set_rules(actor=cast.actor("admin"), namespace="support", protected_labels=["production", "staging"])
    release_both(cast, 2, label="staging")
    blocked = read(caller)["members"][0]["blocked_by"]
    assert "held version 1 without an approval" in blocked
    act = caller("reviewer", session=True).post("namespaces/support/releases/1/roll-back", {"reason": "Wrong"})
    assert problem(act, 403, "approval-required")["detail"] == blocked


def test_only_a_published_release_of_this_namespace_has_a_way_back(cast, caller):
    save_both(cast)
    body = {"label": "production", "title": "Both", "versions": {ONE: 1, TWO: 1}}
    caller("author").post("namespaces/support/releases", body)
    details = problem(caller("reader", session=True).get(ADDRESS), 409, "conflict")
    assert "only a published one can be rolled back" in details["detail"]
    problem(caller("admin", session=True).get(ADDRESS.replace("support", "demo")), 404, "not-found")
