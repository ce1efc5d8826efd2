"""Releases in a chat: an act on a release is one message, whatever its number of templates."""

import pytest

from registry.changes import decisions, rules
from registry.changes.models import ChangeRequest
from registry.releases import proposals
from registry.releases import services as release_services
from registry.releases.plans import ReleaseSelection
from registry.webhooks import planning
from registry.webhooks.models import Delivery

NAMES = ("support/one", "support/two", "support/three")


@pytest.fixture
def heard():
    """Plan what is new; the kinds of the messages since the last call, in order."""

    def read() -> list[str]:
        known = set(Delivery.objects.values_list("pk", flat=True))
        planning.plan_deliveries()
        return list(Delivery.objects.exclude(pk__in=known).order_by("event").values_list("kind", flat=True))

    return read


@pytest.fixture
def release(author, admin, save):
    """Open a release of three templates, which needs no approval."""

    def run():
        rules.set_rules(actor=admin, namespace="support", approvals=0, required_checks=[])
        versions = {name: save(name, name=name).number for name in NAMES}
        planning.plan_deliveries()
        return proposals.propose_release(
            actor=author,
            namespace="support",
            label="production",
            title="Three",
            selection=ReleaseSelection(versions=versions),
        ).release

    return run


@pytest.mark.parametrize("batch", [200, 2], ids=["at once", "in batches"])
def test_each_act_on_a_release_is_one_message(make, release, heard, author, monkeypatch, batch):
    monkeypatch.setattr(planning, "_BATCH", batch)
    make(receiver="slack")
    number = release().number
    assert heard() == ["release.opened"]
    release_services.publish_release(actor=author, number=number)
    assert heard() == ["release.published"]
    assert "published release 1: production of 3 templates moved" in Delivery.objects.latest("pk").body


def test_a_withdrawn_release_is_one_message(make, release, heard, author):
    make(receiver="teams")
    number = release().number
    heard()
    release_services.withdraw_release(actor=author, number=number, reason="Not now")
    assert heard() == ["release.withdrawn"]


@pytest.fixture
def decide(reviewer):
    """Approve the changes of a release, or ask for edits with a text; without names, of all its templates."""

    def run(number, text="", names=NAMES):
        members = ChangeRequest.objects.filter(release=number, template__name__in=names).select_related("version")
        digests = {member.number: member.version.digest for member in members}
        service = release_services.ask_for_release_edits if text else release_services.approve_release
        service(actor=reviewer, number=number, digests=digests, text=text)

    return run


@pytest.mark.parametrize("batch", [200, 2, 1], ids=["at once", "in batches", "one by one"])
@pytest.mark.parametrize(("text", "expected_text"), [("", "approved"), ("Shorter", "asked for edits of")])
def test_a_decision_on_a_release_is_one_message_that_names_its_templates(
    make, release, heard, decide, monkeypatch, batch, text, expected_text
):
    monkeypatch.setattr(planning, "_BATCH", batch)
    make(receiver="slack")
    number = release().number
    heard()
    decide(number, text)
    assert heard() == ["change.decided"]
    body = Delivery.objects.latest("pk").body
    names = ", ".join(f"{name} 1" for name in sorted(NAMES))
    assert f"{expected_text} 3 templates of release {number} for production: {names}" in body
    assert f"/releases/{number}|Release {number}> in support" in body
    assert f"/releases/{number}/publish|What publishing changes>" in body


def test_decisions_of_several_acts_or_people_are_several_messages(make, release, heard, decide, admin, reviewer):
    make(receiver="teams")
    number = release().number
    heard()
    decide(number, "Shorter", NAMES[1:])
    decide(number)
    change = ChangeRequest.objects.get(template__name=NAMES[0])
    decisions.decide_on_change(actor=admin, number=change.number, decision="approve", digest=change.version.digest)
    assert heard() == ["change.decided"] * 3
    assert f"Change {change.number}: {NAMES[0]}" in Delivery.objects.latest("pk").body


def test_a_channel_of_some_templates_and_a_service_hear_of_each_decision(make, release, heard, decide):
    make(receiver="slack", template="t*")
    make()
    number = release().number
    heard()
    decide(number)
    assert heard() == ["change.decided"] * 5
    assert "of release" not in "".join(Delivery.objects.filter(kind="change.decided").values_list("body", flat=True))


def test_earlier_events_of_other_people_are_sent(make, release, heard, author, reviewer, save):
    make(receiver="slack")
    number = release().number
    save("more", name=NAMES[0], actor=reviewer)
    release_services.publish_release(actor=author, number=number)
    assert heard() == ["release.opened", "version.saved", "release.published"]


def test_a_channel_without_releases_gets_a_message_for_each_template(make, release, heard):
    make(receiver="slack", kinds=["change.proposed"])
    make(receiver="slack", template="t*")
    release()
    assert sorted(heard()) == ["change.proposed"] * 5


def test_a_service_gets_every_event(make, release, heard):
    make()
    release()
    kinds = heard()
    assert kinds.count("change.proposed") == 3
    assert kinds[-1] == "release.opened"
