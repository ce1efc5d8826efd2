"""A release and concurrent writers, each with its own connection, on a database that commits."""

import pytest

from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.releases import proposals, roll_backs
from registry.releases import services as release_services
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection
from registry.templates import labels
from registry.templates.label_models import Label, LabelMove
from tests.registry.changes.test_concurrency import at_once, require_whole_journal
from tests.registry.releases.conftest import FOUR

pytestmark = pytest.mark.dialect


def served():
    rows = Label.objects.filter(name="production")
    return dict(rows.values_list("template__name", "version__number"))


def test_of_two_that_publish_a_release_at_the_same_time_one_does(transactional_db, author, open_release, approve_all):
    release = open_release()
    approve_all(release)
    results = at_once([lambda: release_services.publish_release(actor=author, number=release.number) for _ in range(4)])
    assert sorted(type(result).__name__ for result in results) == ["Conflict", "Conflict", "Conflict", "Release"]
    assert LabelMove.objects.count() == 4
    require_whole_journal()


@pytest.mark.parametrize("_round", range(3))
def test_a_release_and_single_requests_at_the_same_time_come_in_some_order(
    transactional_db, author, open_release, approve_all, approve, propose, save, _round
):
    release = open_release()
    singles = [propose(save("two", name=name)) for name in FOUR]
    approve_all(release)
    for change in singles:
        approve(change)
    publish_alone = [
        lambda number=change.number: change_services.publish_change(actor=author, number=number) for change in singles
    ]
    results = at_once([*publish_alone, lambda: release_services.publish_release(actor=author, number=release.number)])
    published = Release.objects.get().state == "published"
    moved = ChangeRequest.objects.filter(release=release, state="published").count()
    assert moved == (4 if published else 0)
    assert published == isinstance(results[-1], Release)
    assert served() == dict.fromkeys(FOUR, 2)
    require_whole_journal()


@pytest.mark.parametrize("_round", range(3))
def test_a_member_that_is_removed_or_gets_another_head_meanwhile_never_goes_live_by_half(
    transactional_db, author, open_release, approve_all, save, find_member, _round
):
    release = open_release()
    newer = save("two", name=FOUR[1])
    approve_all(release)
    first, second = (find_member(release, name).number for name in FOUR[:2])
    at_once(
        [
            lambda: release_services.publish_release(actor=author, number=release.number),
            lambda: proposals.remove_from_release(actor=author, number=release.number, change=first),
            lambda: change_services.set_head(actor=author, number=second, version=newer.number),
            lambda: change_services.publish_change(actor=author, number=first),
        ]
    )
    published = Release.objects.get().state == "published"
    assert set(served()) & set(FOUR[1:]) == (set(FOUR[1:]) if published else set())
    assert served().get(FOUR[1], 1) == 1
    require_whole_journal()


def test_two_releases_of_the_same_templates_never_wait_for_each_other(
    transactional_db, author, reviewer, open_release, approve_all, save
):
    first = open_release()
    for name in FOUR:
        save("two", name=name)
    second = proposals.propose_release(
        actor=author,
        namespace="support",
        label="production",
        title="Second",
        selection=ReleaseSelection(versions=dict.fromkeys(reversed(FOUR), 2)),
    ).release
    approve_all(first)
    approve_all(second)
    at_once([lambda n=n: release_services.publish_release(actor=author, number=n) for n in (1, 2, 1, 2)])
    assert served() == dict.fromkeys(FOUR, 2)
    assert Release.objects.get(number=2).state == "published"
    if Release.objects.get(number=1).state == "published":
        at_once(
            [
                lambda: roll_backs.roll_back_release(actor=reviewer, number=2, reason="Wrong"),
                lambda: labels.roll_back_label(
                    actor=reviewer, name=FOUR[0], label="production", version=1, reason="Wrong"
                ),
            ]
        )
        assert served()[FOUR[0]] == 1
    require_whole_journal()
