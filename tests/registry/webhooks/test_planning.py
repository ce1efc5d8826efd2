"""From the journal to deliveries: which webhook gets which event, and only once."""

import json
import threading

import pytest
from django.db import connection

from registry.changes import rules
from registry.journal.models import Event
from registry.namespaces import services as namespace_services
from registry.webhooks import planning
from registry.webhooks import services as webhook_services
from registry.webhooks.models import Delivery


def _kinds():
    return list(Delivery.objects.order_by("pk").values_list("kind", flat=True))


def test_a_webhook_gets_only_later_events(make, save):
    save()
    make()
    save("again")
    assert planning.plan_deliveries() == 1
    assert _kinds() == ["version.saved"]


def test_planning_twice_creates_no_second_delivery(make, save):
    make()
    save()
    assert (planning.plan_deliveries(), planning.plan_deliveries()) == (1, 0)


def test_only_the_kinds_asked_for_are_heard(make, save, admin):
    make(kinds=["member.set"])
    save()
    namespace_services.set_role(actor=admin, namespace="support", username="reader", role="author")
    planning.plan_deliveries()
    assert _kinds() == ["member.set"]


def test_a_pattern_of_paths_lets_those_templates_through_and_nothing_else(make, save, admin):
    make(template="refunds/*")
    save()
    save(name="support/refunds/reply")
    namespace_services.set_role(actor=admin, namespace="support", username="reader", role="author")
    planning.plan_deliveries()
    assert [json.loads(body)["data"]["template"] for body in Delivery.objects.values_list("body", flat=True)] == [
        "support/refunds/reply"
    ]


def test_another_namespace_is_not_heard_of(make, outsider):
    make()
    rules.set_rules(actor=outsider, namespace="elsewhere", approvals=2)
    assert planning.plan_deliveries() == 0


def test_the_message_has_person_act_and_template_but_no_document(make, save):
    make()
    version = save("secret-words")
    planning.plan_deliveries()
    body = Delivery.objects.get().body
    data = json.loads(body)["data"]
    assert json.loads(body)["type"] == "version.saved"
    assert (data["person"], data["template"], data["version"]) == ("author", "support/reply", version.number)
    assert data["details"]["digest"] == version.digest
    assert data["url"].endswith("/t/support/reply")
    assert "secret-words" not in body.replace(version.message, "", 1)


def test_a_paused_webhook_gets_nothing_and_continues_with_the_next_event(make, save, admin):
    webhook = make().webhook
    webhook_services.change_webhook(actor=admin, webhook_id=webhook.id, paused=True)
    save()
    assert planning.plan_deliveries() == 0
    webhook_services.change_webhook(actor=admin, webhook_id=webhook.id, paused=False)
    save("after")
    planning.plan_deliveries()
    assert _kinds() == ["version.saved"]


def test_many_events_are_planned_to_the_last(make, save, monkeypatch):
    monkeypatch.setattr(planning, "_BATCH", 3)
    webhook = make().webhook
    for mark in range(8):
        save(str(mark))
    assert planning.plan_deliveries() == 8
    webhook.refresh_from_db()
    assert webhook.cursor == Event.objects.order_by("-number").first().number


@pytest.mark.usefixtures("transactional_db")
def test_several_workers_at_the_same_time_plan_each_event_once(make, save):
    make()
    for mark in range(6):
        save(str(mark))
    start = threading.Barrier(4)

    def work():
        start.wait(60)
        planning.plan_deliveries()
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    planning.plan_deliveries()
    assert sorted(Delivery.objects.values_list("event", flat=True)) == sorted(
        Event.objects.filter(kind="version.saved").order_by("number").values_list("number", flat=True)
    )
