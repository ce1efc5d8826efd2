"""Webhooks: created, changed, tested, resent and removed by admins."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal import log
from registry.journal.models import Event
from registry.webhooks import queries
from registry.webhooks import services as webhook_services
from registry.webhooks.models import Delivery, Webhook


@pytest.fixture
def make(admin, settings):
    settings.OUTBOUND_HOSTS = ["hooks.internal:9000", "127.0.0.1"]

    def write(**options):
        arguments = {"actor": admin, "namespace": "support", "url": "http://127.0.0.1:9/T000/secret-path", **options}
        return webhook_services.create_webhook(**arguments)

    return write


def test_the_secret_is_shown_once_and_kept_sealed(make):
    made = make()
    assert made.secret.startswith("whsec_")
    assert made.secret not in made.webhook.secrets.get().sealed


def test_the_event_has_neither_the_address_nor_the_secret(make):
    made = make(kinds=["label.moved"])
    text = Event.objects.get(kind="webhook.set").text
    assert made.webhook.id in text
    assert "secret-path" not in text
    assert made.secret not in text


@pytest.mark.parametrize("role", ["reader", "author", "reviewer"])
def test_only_admins_make_and_see_them(make, role, request, admin):
    made = make()
    actor = request.getfixturevalue(role)
    with pytest.raises(NotAllowed, match="admin"):
        make(actor=actor)
    with pytest.raises(NotAllowed):
        queries.list_webhooks(actor, "support")
    with pytest.raises(NotAllowed):
        webhook_services.rotate_secret(actor=actor, webhook_id=made.webhook.id)


def test_an_outsider_learns_nothing_of_them(make, outsider):
    made = make()
    with pytest.raises(NotFound, match="no webhook"):
        webhook_services.ping_webhook(actor=outsider, webhook_id=made.webhook.id)
    with pytest.raises(NotFound, match="no webhook"):
        webhook_services.ping_webhook(actor=outsider, webhook_id="absent")


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"url": "https://10.0.0.1/"}, "url"),
        ({"url": "nonsense"}, "url"),
        ({"kinds": ["label.eaten"]}, "kinds"),
        ({"template": "a\0b"}, "template"),
    ],
)
def test_invalid_options_are_refused_by_field(make, options, field):
    with pytest.raises(Invalid) as caught:
        make(**options)
    assert field in caught.value.fields
    assert not Webhook.objects.exists()


def test_a_namespace_has_a_bounded_number(make, monkeypatch):
    monkeypatch.setattr(webhook_services, "LIMIT", 2)
    make()
    make()
    with pytest.raises(Conflict, match="2 webhooks"):
        make()


def test_filters_and_address_can_be_changed(make, admin):
    made = make()
    changed = webhook_services.change_webhook(
        actor=admin, webhook_id=made.webhook.id, url="http://127.0.0.1:8/", kinds=["label.moved"], template="a/*"
    )
    assert (changed.url, changed.subscribed_kinds, changed.template) == ("http://127.0.0.1:8/", ["label.moved"], "a/*")


def test_a_refused_change_changes_nothing(make, admin):
    made = make()
    with pytest.raises(Invalid):
        webhook_services.change_webhook(
            actor=admin, webhook_id=made.webhook.id, url="https://169.254.169.254/", template="a/*"
        )
    made.webhook.refresh_from_db()
    assert made.webhook.template == ""


def test_pausing_abandons_waiting_deliveries(make, admin):
    made = make()
    webhook_services.ping_webhook(actor=admin, webhook_id=made.webhook.id)
    webhook_services.change_webhook(actor=admin, webhook_id=made.webhook.id, paused=True)
    assert Delivery.objects.get().state == Delivery.FAILED
    with pytest.raises(Conflict, match="paused"):
        webhook_services.ping_webhook(actor=admin, webhook_id=made.webhook.id)


def test_a_failed_message_is_replayed_under_its_own_id(make, admin):
    made = make()
    message = webhook_services.ping_webhook(actor=admin, webhook_id=made.webhook.id).message
    assert webhook_services.replay_deliveries(actor=admin, webhook_id=made.webhook.id) == 0  # it still waits
    Delivery.objects.update(state=Delivery.FAILED, finished_at=log.now(), attempts_made=10)
    assert webhook_services.replay_deliveries(actor=admin, webhook_id=made.webhook.id) == 1
    again = Delivery.objects.get()
    assert (again.state, again.message, again.attempts_made) == (Delivery.PENDING, message, 0)


def test_one_message_that_was_taken_can_be_sent_again(make, admin):
    made = make()
    message = webhook_services.ping_webhook(actor=admin, webhook_id=made.webhook.id).message
    Delivery.objects.update(state=Delivery.DELIVERED, finished_at=log.now())
    assert webhook_services.replay_deliveries(actor=admin, webhook_id=made.webhook.id, message=message) == 1
    with pytest.raises(NotFound, match="no message"):
        webhook_services.replay_deliveries(actor=admin, webhook_id=made.webhook.id, message="msg_absent")


def test_a_rotation_bounds_the_overlap(make, admin):
    made = make()
    with pytest.raises(Invalid, match="30 days"):
        webhook_services.rotate_secret(actor=admin, webhook_id=made.webhook.id, overlap=timedelta(days=31))
    webhook_services.rotate_secret(actor=admin, webhook_id=made.webhook.id)
    assert queries.find_old_secret_end(made.webhook, log.now()) is not None


def test_removing_takes_the_log_along_and_is_remembered(make, admin):
    made = make()
    webhook_services.ping_webhook(actor=admin, webhook_id=made.webhook.id)
    webhook_services.remove_webhook(actor=admin, webhook_id=made.webhook.id)
    assert not Webhook.objects.exists()
    assert not Delivery.objects.exists()
    assert Event.objects.filter(kind="webhook.removed").exists()


def test_the_list_counts_waiting_and_failed_deliveries(make, admin):
    made = make()
    webhook_services.ping_webhook(actor=admin, webhook_id=made.webhook.id)
    (row,) = queries.list_webhooks(admin, "support")
    counts = vars(row)  # annotated by the query
    assert (counts["waiting"], counts["failed"], counts["last_at"]) == (1, 0, None)


def test_the_log_can_be_read_by_state_and_page(make, admin):
    made = make()
    for _ in range(3):
        webhook_services.ping_webhook(actor=admin, webhook_id=made.webhook.id)
    first = queries.list_deliveries(admin, made.webhook.id, state="pending", limit=2)
    next_page = queries.list_deliveries(admin, made.webhook.id, cursor=first.next, limit=2)
    assert [len(first.items), len(next_page.items)] == [2, 1]
    with pytest.raises(Invalid, match="state"):
        queries.list_deliveries(admin, made.webhook.id, state="lost")


def test_a_list_of_webhooks_counts_the_undelivered_messages_of_each(make, admin):
    first, second = make().webhook, make().webhook
    days = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 7)]
    states = ["pending", "failed", "failed", "delivered", "delivered", "delivered"]
    for place, (state, day) in enumerate(zip(states, days, strict=True)):
        done = None if state == "pending" else day
        row = {"kind": "test", "body": "{}", "due_at": day, "created_at": day}
        Delivery.objects.create(webhook=first, message=f"m{place}", state=state, finished_at=done, **row)
    Delivery.objects.filter(message="m5").update(finished_at=None)  # its time is unknown
    rows = {row.pk: row for row in queries.list_webhooks(admin, "support")}
    counts = {pk: [getattr(row, name) for name in ("waiting", "failed", "last_at")] for pk, row in rows.items()}
    assert counts == {first.pk: [1, 2, days[4]], second.pk: [0, 0, None]}
