"""Archiving a template and restoring it: who may, and what prevents it."""

import pytest

from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.journal.models import Event
from registry.templates import archive as templates_archive
from registry.templates import version_queries


def archive(actor, **facts):
    return templates_archive.archive_template(**{"actor": actor, "name": "support/reply", "reason": ""} | facts)


def test_an_archived_template_can_still_be_fetched(admin, reader, save):
    save("one")
    assert archive(admin).archived_at is not None
    assert version_queries.resolve_version(reader, "support/reply", "1").number == 1


def test_twice_is_one_event_and_so_is_bringing_it_back(admin, save):
    save("one")
    for _ in range(2):
        archive(admin, reason="Old")
    for _ in range(2):
        templates_archive.unarchive_template(actor=admin, name="support/reply")
    kinds = list(Event.objects.filter(kind__startswith="template.").order_by("number").values_list("kind", flat=True))
    assert kinds == ["template.archived", "template.unarchived"]


def test_only_admins_archive(reviewer, save):
    save("one")
    with pytest.raises(NotAllowed, match="You need the role admin to archive templates in support"):
        archive(reviewer)


def test_a_pending_request_comes_first(admin, propose, save):
    propose(save("one"))
    with pytest.raises(Conflict, match="Change 1 is open"):
        archive(admin, force=True, reason="Old")


def test_a_protected_label_takes_force_and_a_reason(admin, publish, save):
    publish(save("one"))
    with pytest.raises(Conflict) as caught:
        archive(admin)
    assert caught.value.facts == {"labels": ["production"]}
    with pytest.raises(Invalid, match="say why"):
        archive(admin, force=True)
    assert archive(admin, force=True, reason="Nobody calls it").archived_at is not None
