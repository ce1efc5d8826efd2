"""A queued job that is asked for again waits for the transaction that asks."""

import threading

import pytest
from django.db import connection, transaction

from registry.jobs import claims

pytestmark = pytest.mark.postgres  # on SQLite only one transaction writes at a time


def test_a_job_asked_for_again_is_not_claimed_before_the_change_behind_it_is_committed(transactional_db):
    claims.enqueue("mirror.repack")
    claimed = []

    def claim():
        claimed.append(claims.claim_job())
        connection.close()

    with transaction.atomic():
        claims.enqueue("mirror.repack")
        worker = threading.Thread(target=claim)
        worker.start()
        worker.join(30)
    assert claimed == [None]
    assert claims.claim_job() is not None
