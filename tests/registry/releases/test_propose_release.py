"""Proposing a release: which templates it includes and which it leaves out."""

import json
from typing import Any

import pytest

from registry.accounts.actor import Actor
from registry.changes import services as change_services
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.namespaces import keys, services
from registry.releases import plans, proposals
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection
from registry.rollouts import services as rollout_services
from registry.templates import archive, labels
from registry.templates.models import Template
from tests.registry.releases.conftest import FOUR


@pytest.fixture
def stage(author):
    """Point staging at a version."""

    def run(version):
        labels.move_label(
            actor=author, name=version.template.name, label="staging", version=version.number, expected=None
        )

    return run


@pytest.fixture
def propose_from(author):
    """Propose what a label of templates or of a folder serves."""

    def run(from_label="staging", actor=None, **places):
        selection = ReleaseSelection(from_label=from_label, **places)
        return proposals.propose_release(
            actor=actor or author, namespace="support", label="production", title="Promote", selection=selection
        )

    return run


def test_a_release_has_a_change_request_for_each_template(open_release, author):
    release = open_release(description="Legal confirmed it.")
    members = list(release.members.order_by("template__name").select_related("template"))
    assert (release.number, release.state, release.label) == (1, "open", "production")
    assert [member.template.name for member in members] == list(FOUR)
    assert {member.message for member in members} == {"Refund window: 45 days\n\nLegal confirmed it."}
    assert {member.opened_by for member in members} == {author.person}


def test_its_event_comes_after_those_of_its_members(open_release):
    open_release()
    *members, opened = Event.objects.order_by("-number")[:5][::-1]
    assert [event.kind for event in members] == ["change.proposed"] * 4
    body = json.loads(opened.text)["body"]
    assert (opened.kind, opened.change, body["release"], body["changes"]) == ("release.opened", None, 1, [1, 2, 3, 4])


def test_the_versions_on_a_label_in_a_folder_are_proposed(save, stage, propose_from):
    for name in ("support/refunds/reply", "support/refunds/summary", "support/policy"):
        stage(save("one", name=name))
    release = propose_from(folder="support/refunds").release
    assert [str(row.template.name) for row in release.members.order_by("number")] == [
        "support/refunds/reply",
        "support/refunds/summary",
    ]


def test_the_whole_namespace_is_a_folder_too_and_latest_a_label(save, propose_from):
    save("one", name="support/policy")
    save("two", name="support/policy")
    release = propose_from("latest", folder="support").release
    assert release.members.get().version.number == 2


def test_templates_that_are_equal_already_are_left_out_and_named(save, publish, stage, propose_from):
    equal, newer = save("one", name="support/policy"), save("one", name="support/reply")
    publish(equal)
    stage(equal)
    stage(newer)
    proposed = propose_from(folder="support")
    assert proposed.release.members.get().template.name == "support/reply"
    assert [(omission.template, omission.code) for omission in proposed.left_out] == [("support/policy", "equal")]


def test_a_version_contained_in_the_served_one_is_left_out(save, publish, stage, propose_from):
    stage(save("one", name="support/policy"))
    publish(save("two", name="support/policy"))
    stage(save("one", name="support/reply"))
    (omission,) = propose_from(folder="support").left_out
    assert omission.code == "superseded"
    assert "production serves version 2, which contains version 1" in omission.reason


def test_templates_without_the_label_are_left_out(save, stage, propose_from):
    stage(save("one", name="support/policy"))
    save("one", name="support/reply")
    proposed = propose_from(templates=["support/policy", "support/reply"])
    assert [(omission.template, omission.reason) for omission in proposed.left_out] == [
        ("support/reply", "staging is not set.")
    ]


def test_an_archived_template_is_left_out(admin, save, stage, propose_from):
    stage(save("one", name="support/policy"))
    save("one", name="support/reply")
    archive.archive_template(actor=admin, name="support/reply", reason="Old")
    proposed = propose_from(templates=["support/policy", "support/reply"])
    assert [omission.code for omission in proposed.left_out] == ["archived"]


@pytest.fixture
def rollout(author, save, publish, propose, approve):
    """A rollout of version 2 of a template whose production serves version 1."""
    publish(save("one", name="support/policy"))
    change = propose(save("two", name="support/policy"))
    approve(change)
    return rollout_services.start_rollout(actor=author, change=change.number)


def test_a_template_in_a_rollout_is_left_out_with_what_to_do(rollout, save, propose_from):
    save("one", name="support/reply")
    [omission] = propose_from("latest", folder="support").left_out
    assert (omission.template, omission.code) == ("support/policy", "rollout")
    assert omission.reason == "It is being published gradually, by rollout 1. Finish the rollout, or stop it first."


def test_a_newer_version_than_the_one_that_rolls_out_is_left_out_too(rollout, save, propose_from, author):
    save("three", name="support/policy")
    with pytest.raises(Invalid, match="production is in rollout 1, which publishes change 2 gradually"):
        propose_from("latest", templates=["support/policy"])
    rollout_services.finish_rollout(actor=author, number=rollout.number)
    assert propose_from("latest", templates=["support/policy"]).left_out == ()


def test_a_template_in_a_rollout_is_not_added_to_a_release(open_release, rollout, save, author):
    save("three", name="support/policy")
    release = open_release(["support/refunds/reply"])
    with pytest.raises(Conflict, match=r"support/policy can't be added: production is in rollout 1"):
        proposals.add_to_release(actor=author, number=release.number, versions={"support/policy": 3})


def test_nothing_left_is_refused_with_every_reason(save, propose_from):
    save("one", name="support/policy")
    with pytest.raises(Invalid, match="staging is not set") as caught:
        propose_from(folder="support")
    left_out: Any = caught.value.facts["left_out"]
    assert [row["template"] for row in left_out] == ["support/policy"]
    assert not Release.objects.exists()


def test_an_open_request_for_the_same_version_becomes_the_member_with_its_approvals(
    save, propose, approve, open_release, reviewer
):
    version = save("one", name="support/policy")
    change = propose(version)
    approve(change)
    release = open_release(["support/policy", "support/reply"])
    change.refresh_from_db()
    assert (change.release, change.state) == (release, "approved")
    assert release.members.count() == 2


def test_an_open_request_for_an_older_version_stays_by_itself_and_is_superseded_later(
    save, propose, open_release, approve_all, author, find_member
):
    older = propose(save("zero", name="support/policy"))
    release = open_release(["support/policy", "support/reply"])
    older.refresh_from_db()
    assert older.release is None
    assert find_member(release, "support/policy").version.number == 2


def test_a_version_that_another_release_proposes_is_left_out(open_release, author):
    open_release(["support/policy"])
    with pytest.raises(Invalid, match="Release 1 already proposes version 1"):
        proposals.propose_release(
            actor=author,
            namespace="support",
            label="production",
            title="Again",
            selection=ReleaseSelection(versions={"support/policy": 1}),
        )


@pytest.mark.parametrize(
    ("selection", "field"),
    [
        (ReleaseSelection(), "from_label"),
        (ReleaseSelection(from_label="staging"), "templates"),
        (ReleaseSelection(from_label="staging", folder="support", templates=["support/policy"]), "templates"),
        (ReleaseSelection(from_label="production", folder="support"), "from_label"),
        (ReleaseSelection(from_label="staging", folder="support", versions={"support/policy": 1}), "versions"),
        (ReleaseSelection(from_label="staging", folder="sales"), "folder"),
    ],
)
def test_a_selection_that_says_too_little_or_too_much_is_refused_by_field(author, save, selection, field):
    save("one", name="support/policy")
    with pytest.raises(Invalid) as caught:
        plans.plan_release(author, "support", "production", selection)
    assert list(caught.value.fields) == [field]


@pytest.mark.parametrize("title", ["", "  ", "two\nlines", "x" * 201])
def test_a_title_is_one_line(open_release, title):
    with pytest.raises(Invalid) as caught:
        open_release(["support/policy"], title=title)
    assert list(caught.value.fields) == ["title"]


def test_a_label_that_is_not_protected_needs_no_release(author, save):
    save("one", name="support/policy")
    with pytest.raises(Invalid, match="move it without a release"):
        plans.plan_release(author, "support", "staging", ReleaseSelection(versions={"support/policy": 1}))


def test_a_missing_template_or_version_is_not_found(author, save):
    save("one", name="support/policy")
    for versions in ({"support/none": 1}, {"support/policy": 7}, {"elsewhere/policy": 1}):
        with pytest.raises(NotFound):
            plans.plan_release(author, "support", "production", ReleaseSelection(versions=versions))


def test_readers_and_outsiders_propose_nothing(reader, outsider, open_release):
    with pytest.raises(NotAllowed):
        open_release(["support/policy"], actor=reader)
    with pytest.raises(NotFound):
        open_release(["support/policy"], actor=outsider)


def test_a_key_for_other_labels_proposes_nothing(admin, author, open_release):
    issued = keys.issue_key(
        actor=admin, namespace="support", name="bot", verbs=["propose"], labels=["staging"], person="author"
    )
    with pytest.raises(NotAllowed, match="limited to staging"):
        open_release(["support/policy"], actor=Actor(author.person, issued.key))


def test_more_templates_than_a_release_may_have_are_refused(author, save):
    names = [f"support/t{number}" for number in range(plans.MAX_TEMPLATES + 1)]
    version = save("one", name=names[0])
    Template.objects.bulk_create(
        Template(
            namespace=version.template.namespace,
            name=name,
            created_by=author.person,
            created_at=version.created_at,
            updated_at=version.created_at,
        )
        for name in names[1:]
    )
    with pytest.raises(Invalid, match="101 templates are too many"):
        plans.plan_release(author, "support", "production", ReleaseSelection(from_label="latest", folder="support"))


def test_a_member_can_be_no_member_of_a_second_release(open_release, author, save, find_member):
    release = open_release(["support/policy", "support/reply"])
    change = find_member(release, "support/policy")
    with pytest.raises(Conflict, match="already proposes version 1 for production"):
        change_services.propose_change(
            actor=author, name="support/policy", label="production", version=1, message="Alone"
        )
    assert change.open_release == 1


@pytest.fixture
def two_namespaces(operator, author, save):
    """A template of each of two namespaces that both protect production."""
    services.create_namespace(actor=operator, name="billing", protected_labels=["production"])
    services.set_role(actor=operator, namespace="billing", username="author", role="author")
    save("one", name="billing/reminder")
    save("one", name="support/policy")
    return {
        "support": ReleaseSelection(from_label="latest", templates=["support/policy"]),
        "billing": ReleaseSelection(from_label="latest", templates=["billing/reminder"]),
    }


def test_templates_of_two_namespaces_make_a_release_each(two_namespaces, author):
    seen = {"support/policy": (1, 0), "billing/reminder": (1, 0)}
    proposed = proposals.propose_releases(
        actor=author, label="production", title="Both", selections=two_namespaces, expected=seen
    )
    releases = [one.release for one in proposed]
    assert [(one.number, one.namespace.name, one.title) for one in releases] == [
        (1, "billing", "Both"),
        (2, "support", "Both"),
    ]
    assert [one.members.get().template.name for one in releases] == ["billing/reminder", "support/policy"]


def test_where_one_of_two_namespaces_has_nothing_to_propose_neither_has_a_release(two_namespaces, author):
    proposals.propose_releases(
        actor=author, label="production", title="One", selections={"support": two_namespaces["support"]}
    )
    with pytest.raises(Invalid, match="support/policy"):
        proposals.propose_releases(actor=author, label="production", title="Both", selections=two_namespaces)
    assert Release.objects.count() == 1


def test_nothing_is_proposed_for_a_namespace_without_the_right(two_namespaces, reader, author):
    with pytest.raises(NotAllowed):
        proposals.propose_releases(actor=reader, label="production", title="Both", selections=two_namespaces)
    unseen = {"support/policy": (1, 0), "billing/other": (1, 0)}
    with pytest.raises(Conflict, match="billing/other"):
        proposals.propose_releases(
            actor=author, label="production", title="Both", selections=two_namespaces, expected=unseen
        )
    assert not Release.objects.exists()
