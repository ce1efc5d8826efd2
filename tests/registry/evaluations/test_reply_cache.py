"""Cached replies: reused for 90 days, then deleted."""

from datetime import timedelta

import pytest

from registry.evaluations import reply_cache
from registry.evaluations.models import Reply
from registry.journal import log
from registry.tasks import tasks

pytestmark = pytest.mark.django_db


def keep(key, age):
    return Reply.objects.create(key=key, text="{}", created_at=log.now() - age)


def test_replies_that_were_kept_long_enough_go():
    keep("old", reply_cache.KEPT + timedelta(minutes=1))
    keep("young", reply_cache.KEPT - timedelta(minutes=1))
    assert reply_cache.delete_old_replies() == 1
    assert list(Reply.objects.values_list("key", flat=True)) == ["young"]
    assert reply_cache.delete_old_replies() == 0


def test_one_pass_takes_a_batch_the_oldest_first(monkeypatch):
    monkeypatch.setattr(reply_cache, "_BATCH", 2)
    for days in (100, 102, 101):
        keep(str(days), timedelta(days=days))
    assert reply_cache.delete_old_replies() == 2
    assert list(Reply.objects.values_list("key", flat=True)) == ["100"]


def test_the_upkeep_does_it():
    keep("old", reply_cache.KEPT + timedelta(days=1))
    tasks.run_upkeep()
    assert not Reply.objects.exists()
