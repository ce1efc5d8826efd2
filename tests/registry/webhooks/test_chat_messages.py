"""Messages to Slack and Microsoft Teams, at a real receiver: content with a link, unsigned, retried."""

import json
import re

import pytest

from registry.changes import check_results, rules
from registry.core.errors import Conflict, Invalid
from registry.freezes import services as freeze_services
from registry.journal import log
from registry.journal.models import Event
from registry.releases import proposals
from registry.releases.plans import ReleaseSelection
from registry.webhooks import delivery as webhook_delivery
from registry.webhooks import planning
from registry.webhooks import services as webhook_services
from registry.webhooks.models import Attempt, Delivery, Webhook

CHATS = ("slack", "teams")
MESSAGE = "Calmer: see <!channel> & [here](https://evil.example)"


def _deliver():
    planning.plan_deliveries()
    return webhook_delivery.deliver_due()


def _heard(receiver):
    return json.loads(receiver.heard[-1][1])


def _runs(card):
    return [run["text"] for line in card["body"] for run in line["inlines"]]


def test_the_slack_message_has_proposer_change_reason_and_link(make, save, propose, receiver, settings):
    make(receiver="slack", kinds=["change.proposed"])
    change = propose(save(), message=MESSAGE)
    assert _deliver() == 1
    title, sentence, why, context = _heard(receiver)["blocks"]
    assert title["text"]["text"] == "*Change proposed*"
    assert f"opened change {change.number}: production of support/reply to version 1" in sentence["text"]["text"]
    assert why["text"] == {"type": "plain_text", "text": MESSAGE, "emoji": False}
    assert f"<{settings.BASE_URL}/changes/{change.number}|Change {change.number}: support/reply>" in str(context)
    assert "support/reply> in support" not in str(context)  # the name says it
    assert f"<{settings.BASE_URL}/changes/{change.number}/publish|What publishing changes>" in str(context)


def test_texts_are_not_read_as_slack_markup(make, save, receiver):
    make(receiver="slack")
    save("<!channel> & <https://evil.example>")
    _deliver()
    heard = _heard(receiver)
    assert "&lt;!channel&gt; &amp; &lt;https" in heard["text"]
    assert "<" not in heard["text"]


@pytest.mark.parametrize("written", ["*bold* _it_", "see https://evil.example", "@channel :fire:", "[a](mailto:b)"])
def test_slack_formats_links_and_notifies_nothing_of_what_people_wrote(make, author, save, receiver, written):
    make(receiver="slack", kinds=["release.opened"])
    selection = ReleaseSelection(versions={"support/reply": save().number})
    proposals.propose_release(actor=author, namespace="support", label="production", title=written, selection=selection)
    _deliver()
    heard = _heard(receiver)
    texts = [block["text"] for block in heard["blocks"] if "text" in block]
    assert [text["type"] for text in texts if written in text["text"]] == ["plain_text"]
    assert not any(text.get("emoji") for text in texts)
    assert not re.search(r"@\w|\]\(|://", heard["text"])


def test_teams_gets_the_same_as_a_card_whose_words_are_not_markdown(make, save, propose, receiver, settings):
    make(receiver="teams", kinds=["change.proposed"])
    change = propose(save(), message=MESSAGE)
    _deliver()
    (attachment,) = _heard(receiver)["attachments"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    card = attachment["content"]
    assert {line["type"] for line in card["body"]} == {"RichTextBlock"}
    assert _runs(card)[0] == "Change proposed"
    assert MESSAGE in _runs(card)
    assert card["actions"][0]["url"] == f"{settings.BASE_URL}/changes/{change.number}"


@pytest.mark.parametrize("chat", CHATS)
def test_a_long_reason_is_cut(make, save, propose, receiver, chat):
    make(receiver=chat, kinds=["change.proposed"])
    propose(save(), message="x" * 9000)
    _deliver()
    assert len(receiver.heard[-1][1]) < 4000
    assert "x…" in json.dumps(_heard(receiver), ensure_ascii=False)


@pytest.mark.parametrize("chat", CHATS)
def test_a_message_to_a_chat_is_not_signed(make, save, receiver, chat):
    assert make(receiver=chat).secret == ""
    save()
    _deliver()
    assert not [name for name in receiver.heard[-1][0] if name.lower().startswith("webhook-")]


@pytest.mark.parametrize("chat", CHATS)
def test_the_address_is_sealed_and_neither_shown_nor_journalled(make, receiver, chat):
    webhook = make(receiver=chat).webhook
    webhook.refresh_from_db()
    assert webhook.url == f"http://127.0.0.1:{receiver.port}/…"
    assert "/hook" not in webhook.sealed_url
    assert webhook.address == receiver.url
    body = json.loads(Event.objects.get(kind="webhook.set").text)["body"]
    assert (body["host"], body["receiver"]) == ("127.0.0.1", chat)
    assert "/hook" not in str(body)


def test_a_service_keeps_its_readable_address_and_its_event_as_before(make, receiver):
    webhook = make().webhook
    assert (webhook.url, webhook.sealed_url, webhook.address) == (receiver.url, "", receiver.url)
    assert "receiver" not in json.loads(Event.objects.get(kind="webhook.set").text)["body"]


def test_without_a_choice_a_chat_does_not_hear_of_results_of_checks(make, save, propose):
    make(receiver="slack")
    chosen = make(receiver="slack", kinds=["verdict.given"]).webhook
    service = make().webhook
    check_results.run_checks(number=propose(save()).number)
    planning.plan_deliveries()
    results = Delivery.objects.filter(kind="verdict.given")
    assert {row.webhook_id for row in results} == {chosen.id, service.id}


@pytest.mark.parametrize("chat", CHATS)
def test_a_test_message_says_who_sent_it(make, admin, receiver, chat):
    webhook = make(receiver=chat).webhook
    webhook_services.ping_webhook(actor=admin, webhook_id=webhook.id)
    webhook_delivery.deliver_due()
    assert "events of support will appear here" in receiver.heard[-1][1].decode()


def test_a_chat_that_asks_for_a_pause_is_tried_again(make, save, receiver):
    make(receiver="slack")
    receiver.answers = [(429, {"Retry-After": "30"}, b"rate_limited"), (200, {}, b"ok")]
    save()
    _deliver()
    Delivery.objects.filter(state=Delivery.PENDING).update(due_at=log.now())
    assert webhook_delivery.deliver_due() == 1
    assert list(Attempt.objects.order_by("pk").values_list("status", flat=True)) == [429, 200]


def test_an_archived_channel_pauses_the_webhook(make, save, receiver):
    webhook = make(receiver="slack").webhook
    receiver.answers = [(410, {}, b"channel_is_archived")]
    save()
    _deliver()
    webhook.refresh_from_db()
    assert webhook.paused_at is not None


def test_the_address_of_a_channel_can_be_set_again_and_filters_without_it(make, admin, receiver):
    webhook = make(receiver="slack").webhook
    change = webhook_services.change_webhook
    assert change(actor=admin, webhook_id=webhook.id, template="a/*").address == receiver.url
    assert change(actor=admin, webhook_id=webhook.id, url="http://127.0.0.1:9/new").address == "http://127.0.0.1:9/new"
    assert Webhook.objects.get().url == "http://127.0.0.1:9/…"


def test_another_secret_key_of_the_instance_is_named_in_the_log(make, save, settings):
    make(receiver="slack")
    save()
    settings.SECRET_KEY = "another"
    _deliver()
    assert "PROMPTUARY_SECRET_KEY" in Attempt.objects.get().said


def test_an_address_inside_is_refused_for_a_chat_too(make):
    with pytest.raises(Invalid) as caught:
        make(receiver="slack", url="https://169.254.169.254/services/T0")
    assert "url" in caught.value.fields


def test_a_receiver_that_there_is_not_is_refused(make):
    with pytest.raises(Invalid) as caught:
        make(receiver="irc")
    assert caught.value.fields == {"receiver": "one of standard, slack, teams."}


def test_a_chat_has_no_secret_to_renew(make, admin):
    webhook = make(receiver="teams").webhook
    with pytest.raises(Conflict, match="not signed"):
        webhook_services.rotate_secret(actor=admin, webhook_id=webhook.id)


@pytest.mark.parametrize(("kind", "page"), [("freeze.set", "freezes"), ("namespace.ruled", "rules")])
def test_a_message_about_the_namespace_links_to_its_page_and_names_it_once(make, admin, receiver, settings, kind, page):
    make(receiver="slack", kinds=[kind])
    if kind == "freeze.set":
        freeze_services.set_freeze(
            actor=admin,
            namespace="support",
            repeat="weekly",
            starts="fri 16:00",
            ends="mon 08:00",
            reason="Weekend",
            time_zone="Europe/Zurich",
        )
    else:
        rules.set_rules(actor=admin, namespace="support", approvals=2)
    assert _deliver() == 1
    *_, context = _heard(receiver)["blocks"]
    assert context["elements"][0]["text"] == f"<{settings.BASE_URL}/n/support/{page}|support>"
    if kind == "freeze.set":
        assert "set freeze 1, Fri 16:00 to Mon 08:00 every week (Europe/Zurich): Weekend" in str(receiver.heard[-1][1])
