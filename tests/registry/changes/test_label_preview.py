"""The preview of a label move: the state, the affected services, overlapping changes, and how to undo it."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.changes import check_results, label_preview, rules
from registry.changes import services as change_services
from registry.core.errors import Invalid, NotFound
from registry.namespaces import keys
from registry.templates import labels
from registry.templates.models import Template, Version
from registry.usage.models import Fetch

NAME = "support/reply"


def preview(actor, number, label="production", name=NAME):
    return label_preview.find_preview(actor, name, label, number)


@pytest.fixture
def fetch(admin):
    def write(service, version, ref, count):
        issued = keys.issue_key(actor=admin, namespace="support", name=service, scope="read", person="author")
        at = datetime.now(UTC)
        Fetch.objects.create(key=issued.key, version=version, ref=ref, day=at.date(), count=count, last_at=at)

    return write


def test_the_first_version_is_new_and_cannot_be_undone(author, save):
    save("one")
    move = preview(author, 1)
    assert (move.state, move.serves, move.undo, move.approvals_needed) == ("new", None, "none", 1)


def test_a_later_version_is_ahead_and_a_reviewer_rolls_it_back(author, save, publish):
    publish(save("one"))
    save("two")
    save("three")
    move = preview(author, 3)
    assert (move.state, move.serves.number, move.included) == ("ahead", 1, (2,))
    assert (move.undo, move.undo_version) == ("roll_back", 1)


def test_the_served_version_is_equal(author, save, publish):
    publish(save("one"))
    assert preview(author, 1).state == "equal"


def test_a_version_that_is_contained_is_superseded_unless_the_label_held_it(author, save, publish):
    save("one")
    publish(save("two"))
    assert preview(author, 1).state == "superseded"
    assert "restore its text as a new version" in preview(author, 1).refusal
    publish(save("three"))
    assert preview(author, 2).state == "back"
    assert preview(author, 2).refusal.endswith("To serve version 2 again, use Roll back instead.")
    assert [preview(author, number).refusal for number in (3,)] == [""]


def test_a_version_from_elsewhere_has_to_be_merged(author, save, publish):
    first = save("one")
    publish(save("two"))
    save("beside", base=first.digest, parallel=True)
    assert preview(author, 3).state == "diverged"


def test_an_unprotected_label_is_moved_back_or_removed(author, save):
    save("one")
    save("two")
    assert (preview(author, 1, "staging").undo, preview(author, 1, "staging").approvals_needed) == ("remove", 0)
    labels.move_label(actor=author, name=NAME, label="staging", version=1, expected=None)
    move = preview(author, 2, "staging")
    assert (move.undo, move.undo_version, move.is_protected) == ("move", 1, False)


def test_services_that_ask_for_the_label_get_it_and_the_others_stay(author, save, publish, fetch):
    first = save("one")
    publish(first)
    save("two")
    fetch("chat", first, "production", 70)
    fetch("mail", first, "1", 14)
    move = preview(author, 2)
    assert [(it.fetches.service, it.moves, it.gets) for it in move.services] == [("chat", True, 2), ("mail", False, 1)]
    assert (move.fetches_moving, move.fetches_staying, move.moving_services) == (10, 2, 1)


def test_open_requests_are_superseded_or_have_to_be_merged(author, save, propose):
    first = save("one")
    propose(first)
    second = save("two")
    propose(save("beside", base=first.digest, parallel=True))
    move = preview(author, second.number)
    assert [(it.change.number, it.superseded) for it in move.overlapping] == [(1, True), (2, False)]
    assert move.same is None
    assert preview(author, 1).same.number == 1


def test_owners_and_approvals_are_those_of_the_rules(author, support, save):
    save("one")
    support.owners = [{"pattern": "reply", "people": ["reviewer"]}]
    support.approvals = 2
    support.save()
    move = preview(author, 1)
    assert (move.owners, move.approvals_needed) == (("reviewer",), 2)


def test_outsiders_and_unknown_versions_are_not_found(author, outsider, save):
    save("one")
    with pytest.raises(NotFound):
        preview(outsider, 1)
    with pytest.raises(NotFound):
        preview(author, 9)
    with pytest.raises(Invalid):
        preview(author, 1, "latest")


def test_a_preview_stores_nothing(author, save, publish, propose):
    publish(save("one"))
    before = list(Version.objects.values_list("pk", flat=True))
    save("two")
    with CaptureQueriesContext(connection) as queries:
        preview(author, 2)
    written = [query for query in queries.captured_queries if not query["sql"].startswith("SELECT")]
    assert (written, len(before)) == ([], 1)


def test_many_templates_cost_as_many_queries_as_one(author, save, publish):
    moves = []
    for number in range(4):
        publish(save("one", name=f"support/reply-{number}"))
        save("two", name=f"support/reply-{number}")
    for template in Template.objects.select_related("namespace", "latest__author").order_by("name"):
        moves.append((template, template.latest))

    def cost(count):
        with CaptureQueriesContext(connection) as queries:
            assert len(label_preview.preview_moves("production", moves[:count])) == count
        return len(queries)

    assert cost(4) == cost(1)


def test_a_withdrawn_request_overlaps_nothing(author, save, propose):
    change = propose(save("one"))
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    assert (preview(author, 1).overlapping, preview(author, 1).same) == ((), None)


def test_checks_are_the_newest_results_on_the_version_and_the_required_ones_that_never_ran(
    admin, author, save, propose
):
    rules.set_rules(actor=admin, namespace="support", required_checks=["problems"])
    save("one")
    (missing,) = preview(author, 1).checks
    assert (missing.name, missing.is_required, missing.outcome, missing.at) == ("problems", True, None, None)
    check_results.run_checks(number=propose(save("two")).number)
    assert [(check.name, check.outcome, check.is_required) for check in preview(author, 2).checks] == [
        ("problems", "passed", True),
        ("samples", "passed", False),
        ("budget", "passed", False),
        ("contract", "passed", False),
    ]
    assert preview(author, 2, "staging").checks == preview(author, 2).checks


def test_without_required_checks_a_version_that_was_never_proposed_has_none(author, save):
    save("one")
    assert preview(author, 1).checks == ()


def test_a_service_that_follows_another_label_gets_what_that_serves_now(author, save, publish, fetch):
    first = save("one")
    publish(first)
    labels.move_label(actor=author, name=NAME, label="staging", version=1, expected=None)
    for ref in ("staging", "latest", "removed"):
        fetch(ref, first, ref, 7)
    save("two")
    labels.move_label(actor=author, name=NAME, label="staging", version=2, expected=1)
    save("three")
    effects = {effect.fetches.service: (effect.moves, effect.gets) for effect in preview(author, 3).services}
    assert effects == {"staging": (False, 2), "latest": (False, 3), "removed": (False, 1)}
