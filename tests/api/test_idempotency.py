"""Repeating a POST with its idempotency key."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from registry.api.urls import urlpatterns
from registry.changes.models import ChangeRequest
from registry.idempotency import answers
from registry.idempotency.models import StoredAnswer
from registry.idempotency.views import IdempotentView
from registry.journal.models import Event
from registry.redaction.services import redact_version
from tests.api.conftest import OTHER, REPLY, Caller, problem

PROPOSAL = {"template": REPLY, "label": "production", "version": 1, "message": "Please"}
CHANGES_NOTHING = {  # POSTs that only read: nothing can be done twice
    "Check",
    "FetchMany",
    "Imports",
    "KeyTrials",
    "PreviewDocument",
    "PreviewRules",
    "Plan",
    "PlanImprovement",
    "Render",
    "RunEstimate",
    "TryConnection",
}


def test_a_request_that_is_sent_again_is_answered_as_before_and_not_done_twice(cast, caller):
    cast.save()
    author = caller("author")
    first = author.post("changes", PROPOSAL, Idempotency_Key="k-1")
    events = Event.objects.count()
    again = author.post("changes", PROPOSAL, Idempotency_Key="k-1")
    assert first.status_code == again.status_code == 201
    assert (again.content, again["Content-Type"]) == (first.content, first["Content-Type"])
    assert "Idempotency-Replayed" not in first
    assert again["Idempotency-Replayed"] == "true"
    assert ChangeRequest.objects.count() == 1
    assert Event.objects.count() == events


def test_a_secret_that_is_shown_once_is_repeated_and_stored_sealed(cast, caller):
    admin = caller("admin", session=True)
    body = {"name": "chat", "scope": "read"}
    first = admin.post("namespaces/support/keys", body, Idempotency_Key="k-1")
    assert admin.post("namespaces/support/keys", body, Idempotency_Key="k-1").json() == first.json()
    assert first.json()["secret"] not in StoredAnswer.objects.get().sealed


def test_without_the_header_nothing_is_stored(cast, caller):
    cast.save()
    assert caller("author").post("changes", PROPOSAL).status_code == 201
    assert not StoredAnswer.objects.exists()


def test_the_same_key_with_another_request_is_refused(cast, caller):
    cast.save()
    author = caller("author")
    author.post("changes", PROPOSAL, Idempotency_Key="k-1")
    for path, body in (("changes", {**PROPOSAL, "message": "Now"}), ("changes/1/withdraw", {"reason": "No"})):
        answer = author.post(path, body, Idempotency_Key="k-1")
        assert list(problem(answer, 422, "invalid")["fields"]) == ["Idempotency-Key"]
    assert ChangeRequest.objects.count() == 1


@pytest.mark.parametrize("key", ["", "a b", "k" * 256, "ü"])
def test_a_key_of_another_form_is_refused(cast, caller, key):
    cast.save()
    answer = caller("author").post("changes", PROPOSAL, Idempotency_Key=key)
    assert list(problem(answer, 422, "invalid")["fields"]) == ["Idempotency-Key"]
    assert not ChangeRequest.objects.exists()


def test_keys_of_two_callers_have_nothing_to_do_with_each_other(cast, caller):
    cast.save()
    admin = caller("admin", session=True)
    caller("author").post("changes", PROPOSAL, Idempotency_Key="k-1")
    answer = admin.post("namespaces/support/keys", {"name": "chat", "scope": "read"}, Idempotency_Key="k-1")
    assert answer.status_code == 201


def test_a_refused_request_may_be_sent_again_under_its_key(cast, caller):
    author = caller("author")
    problem(author.post("changes", PROPOSAL, Idempotency_Key="k-1"), 404, "not-found")
    assert not StoredAnswer.objects.exists()
    cast.save()
    assert author.post("changes", PROPOSAL, Idempotency_Key="k-1").status_code == 201


def test_an_idempotency_key_reveals_nothing_to_other_callers(cast, caller):
    cast.save()
    caller("author").post("changes", PROPOSAL, Idempotency_Key="k-1")
    problem(Caller().post("changes", PROPOSAL, Idempotency_Key="k-1"), 401, "unauthenticated")
    problem(caller("outsider").post("changes", PROPOSAL, Idempotency_Key="k-1"), 404, "not-found")


def test_after_a_day_the_key_is_forgotten(cast, caller):
    cast.save()
    cast.propose(1)
    author = caller("author")
    author.post("changes/1/checks", Idempotency_Key="k-1")
    assert "Idempotency-Replayed" in author.post("changes/1/checks", Idempotency_Key="k-1")
    StoredAnswer.objects.update(created_at=timezone.now() - answers.KEPT - timedelta(seconds=1))
    assert "Idempotency-Replayed" not in author.post("changes/1/checks", Idempotency_Key="k-1")
    assert StoredAnswer.objects.count() == 1
    StoredAnswer.objects.update(created_at=timezone.now() - answers.KEPT - timedelta(seconds=1))
    answers.delete_old_answers()
    assert not StoredAnswer.objects.exists()


def test_a_redaction_forgets_every_answer(cast, caller):
    first = cast.save().version.digest
    cast.save(OTHER, base=first)
    caller("author").post("changes", {**PROPOSAL, "label": "staging"}, Idempotency_Key="k-1")
    redact_version(actor=cast.actor("admin"), name=REPLY, version=2, reason="A name in it", force=True)
    assert not StoredAnswer.objects.exists()


@pytest.mark.dialect
def test_of_two_at_the_same_time_one_is_done_and_both_are_answered(transactional_db, cast, caller):
    cast.save()
    author, gate, found = caller("author"), threading.Barrier(2), []
    author.get(
        "changes"
    )  # the first call of a process loads the middleware, which two threads must not do concurrently

    def send() -> None:
        gate.wait(60)
        try:
            found.append(author.post("changes", PROPOSAL, Idempotency_Key="k-1"))
        finally:
            connection.close()

    threads = [threading.Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [answer.status_code for answer in found] == [201, 201]
    assert found[0].content == found[1].content
    assert sorted("Idempotency-Replayed" in answer for answer in found) == [False, True]
    assert ChangeRequest.objects.count() == 1


def test_every_post_that_changes_something_takes_a_key():
    views = {pattern.callback.view_class for pattern in urlpatterns if hasattr(pattern.callback, "view_class")}
    without = {view.__name__ for view in views if hasattr(view, "post") and not issubclass(view, IdempotentView)}
    assert without == CHANGES_NOTHING
