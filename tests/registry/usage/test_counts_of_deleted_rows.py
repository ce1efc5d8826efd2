"""Counts for deleted rows: foreign keys are checked at the end of the transaction, so these tests commit."""

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.namespaces import keys, services
from registry.templates import save as template_save
from registry.usage.models import Fetch
from registry.usage.recorder import FetchCounts

pytestmark = [pytest.mark.usefixtures("transactional_db"), pytest.mark.dialect]


def test_rows_that_can_never_be_written_hold_up_no_others():
    admin = Actor(User.objects.create(username="admin"))
    services.create_namespace(actor=admin, name="support")
    saved = template_save.save_version(
        actor=admin, name="support/reply", document="- name: a\n  content: b\n", message=""
    )
    place = (keys.issue_key(actor=admin, namespace="support", name="chat", scope="read").key.id, saved.version.pk)
    counts = FetchCounts()
    counts.note(*place, "production")
    counts.note(place[0], 999_999, "production")
    assert not counts.flush()
    assert counts.flush()
    rows = list(Fetch.objects.values_list("ref", "count"))
    assert (rows, counts.lost) == ([("production", 1)], 1)
