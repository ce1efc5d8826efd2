"""Deliveries at a real receiver: signed, retried, logged, and finally abandoned."""

import json
from datetime import timedelta

import pytest
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from registry.journal import log
from registry.webhooks import delivery as webhook_delivery
from registry.webhooks import planning
from registry.webhooks import services as webhook_services
from registry.webhooks.models import Attempt, Delivery, Webhook
from tests.support.slow_server import serve_slowly


def _deliver():
    planning.plan_deliveries()
    return webhook_delivery.deliver_due()


def _make_due():
    Delivery.objects.filter(state=Delivery.PENDING).update(due_at=log.now())


def test_a_message_is_verified_by_the_library_that_receivers_use(make, save, receiver):
    made = make()
    save()
    assert _deliver() == 1
    headers, body = receiver.heard[0]
    assert Verifier(made.secret).verify(body, headers)["type"] == "version.saved"
    with pytest.raises(WebhookVerificationError):
        Verifier(made.secret).verify(body.replace(b"author", b"admins"), headers)


def test_a_delivered_message_is_not_sent_again(make, save, receiver):
    make()
    save()
    _deliver()
    assert _deliver() == 0
    assert Delivery.objects.get().state == Delivery.DELIVERED
    assert len(receiver.heard) == 1


def test_messages_come_in_the_order_of_the_events(make, save, receiver):
    make()
    for mark in range(4):
        save(str(mark))
    _deliver()
    assert [json.loads(body)["data"]["version"] for _, body in receiver.heard] == [1, 2, 3, 4]


def test_a_refused_message_is_tried_again_later_with_the_same_id_and_a_new_time(make, save, receiver):
    made = make()
    receiver.answers = [(500, {}, b"out of order"), (204, {}, b"")]
    save()
    _deliver()
    assert _deliver() == 0  # not before its pause is over
    _make_due()
    _deliver()
    first, second = (headers for headers, _ in receiver.heard)
    assert first["webhook-id"] == second["webhook-id"]
    assert Verifier(made.secret).verify(receiver.heard[1][1], second)
    assert list(Attempt.objects.order_by("pk").values_list("status", "said")) == [(500, "out of order"), (204, "")]


def test_the_pauses_grow_and_the_last_failure_pauses_the_webhook(make, save, receiver):
    webhook = make().webhook
    receiver.answers = [(503, {}, b"")]
    save()
    planning.plan_deliveries()
    pauses = []
    while (delivery := Delivery.objects.select_related("webhook").get()).state == Delivery.PENDING:
        webhook_delivery.send_delivery(delivery)
        pauses.append(delivery.due_at - log.now())
    assert delivery.state == Delivery.FAILED
    assert len(receiver.heard) == len(webhook_delivery.PAUSES) + 1
    assert pauses[:-1] == sorted(pauses[:-1])
    webhook.refresh_from_db()
    assert webhook.paused_at is not None
    assert delivery.message in webhook.pause_reason


def test_gone_pauses_the_webhook_immediately(make, save, receiver):
    webhook = make().webhook
    receiver.answers = [(410, {}, b"")]
    save()
    _deliver()
    webhook.refresh_from_db()
    assert "410" in webhook.pause_reason


def test_a_receiver_that_asks_for_a_pause_gets_it(make, save, receiver):
    make()
    receiver.answers = [(429, {"Retry-After": "3600"}, b"")]
    save()
    _deliver()
    assert Delivery.objects.get().due_at > log.now() + timedelta(minutes=59)


@pytest.mark.parametrize("asked", ["soon", "-5", "", "9" * 30, "Wed, 99 Nov"])
def test_a_pause_that_makes_no_sense_is_passed_over(make, save, receiver, asked):
    make()
    receiver.answers = [(503, {"Retry-After": asked}, b"")]
    save()
    _deliver()
    assert Delivery.objects.get().due_at < log.now() + timedelta(days=1, minutes=1)


def test_a_redirect_is_a_failure_and_is_not_followed(make, save, receiver):
    make()
    receiver.answers = [(307, {"Location": receiver.url}, b"")]
    save()
    _deliver()
    assert len(receiver.heard) == 1
    assert Delivery.objects.get().state == Delivery.PENDING


def test_an_unreachable_receiver_is_reported_in_the_log(make, save, receiver, settings):
    make(url="http://127.0.0.1:9/hook")
    save()
    _deliver()
    attempt = Attempt.objects.get()
    assert attempt.status is None
    assert attempt.said == "The receiver can't be reached: nothing answers at 127.0.0.1 on port 9."


def test_an_address_that_is_not_allowed_any_more_is_not_connected_to(make, save, receiver, settings):
    make()
    settings.OUTBOUND_HOSTS = []
    save()
    _deliver()
    assert receiver.heard == []
    assert "https://" in Attempt.objects.get().said


def test_a_long_answer_is_cut_and_none_is_unpacked(make, save, receiver):
    make()
    receiver.answers = [(200, {"Content-Encoding": "gzip"}, b"x" * 500_000)]
    save()
    _deliver()
    attempt = Attempt.objects.get()
    assert (attempt.status, attempt.said) == (200, "x" * 1000)
    assert receiver.heard[0][0]["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    ("pieces", "status", "expected_text"),
    [
        ([b"HTTP/1.1 200 OK\r\nX: ", *[b"x"] * 100], None, "did not answer within"),
        ([b"HTTP/1.1 102 Processing\r\n\r\n"] * 100, None, "did not answer within"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", *[b"x"] * 100], 200, "xx"),
    ],
    ids=["header", "steps", "body"],
)
def test_a_receiver_that_answers_bit_by_bit_blocks_nobody(make, save, monkeypatch, pieces, status, expected_text):
    monkeypatch.setattr(webhook_delivery, "_TIMEOUT", 0.4)
    with serve_slowly(pieces) as url:
        make(url=f"{url}/hook")
        save()
        _deliver()
    attempt = Attempt.objects.get()
    assert (attempt.status, expected_text in attempt.said) == (status, True)
    assert attempt.milliseconds < 5000


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", 200, "half"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nx", 200, "half"),
        (b"HTTP/2 200\r\n\r\n", None, "sent an answer that is not valid HTTP."),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000, None, "sent an answer that is not valid HTTP."),
    ],
    ids=["short body", "broken chunk", "no HTTP", "long header"],
)
def test_a_malformed_answer_is_recorded_as_what_it_is(make, save, answer, status, said):
    with serve_slowly([answer]) as url:
        make(url=f"{url}/hook")
        save()
        _deliver()
    attempt = Attempt.objects.get()
    assert (attempt.status, attempt.said.endswith(said)) == (status, True)


def test_a_host_that_is_no_name_is_reported_in_the_log(make, save, monkeypatch):
    made = make()
    save()
    Webhook.objects.filter(pk=made.webhook.pk).update(url="https://xn--.example.org/")
    _deliver()
    assert Attempt.objects.get().said == "The address isn't a valid URL."


def test_after_a_rotation_old_and_new_secret_both_verify(make, save, receiver, admin):
    old = make()
    new = webhook_services.rotate_secret(actor=admin, webhook_id=old.webhook.id)
    save()
    _deliver()
    headers, body = receiver.heard[-1]
    for secret in (old.secret, new.secret):
        assert Verifier(secret).verify(body, headers)


def test_after_a_rotation_without_overlap_only_the_new_one_does(make, save, receiver, admin):
    old = make()
    new = webhook_services.rotate_secret(actor=admin, webhook_id=old.webhook.id, overlap=timedelta())
    save()
    _deliver()
    headers, body = receiver.heard[-1]
    assert Verifier(new.secret).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Verifier(old.secret).verify(body, headers)


def test_another_secret_key_of_the_instance_is_reported_in_the_log(make, save, receiver, settings):
    make()
    save()
    settings.SECRET_KEY = "another"
    _deliver()
    assert "PROMPTUARY_SECRET_KEY" in Attempt.objects.get().said


def test_a_webhook_that_another_worker_serves_is_left_to_it(make, save, receiver):
    webhook = make().webhook
    save()
    planning.plan_deliveries()
    Webhook.objects.filter(pk=webhook.pk).update(claimed_until=log.now() + timedelta(seconds=30))
    assert webhook_delivery.deliver_due() == 0
    Webhook.objects.filter(pk=webhook.pk).update(claimed_until=log.now() - timedelta(seconds=1))
    assert webhook_delivery.deliver_due() == 1


@pytest.mark.usefixtures("transactional_db")
def test_several_webhooks_are_served_side_by_side(make, save, receiver):
    for _ in range(3):
        make()
    save()
    assert _deliver() >= 3
    assert Delivery.objects.filter(state=Delivery.DELIVERED, kind="version.saved").count() == 3


def test_old_finished_deliveries_are_deleted(make, save, receiver):
    make()
    save()
    _deliver()
    assert webhook_delivery.delete_old_deliveries() == 0
    Delivery.objects.update(finished_at=log.now() - timedelta(days=31))
    assert webhook_delivery.delete_old_deliveries() > 0
    assert not Delivery.objects.exists()
