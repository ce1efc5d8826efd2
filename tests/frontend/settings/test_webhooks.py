"""The pages of webhooks: created, viewed, tested, changed and removed by admins."""

import re

import pytest

from registry.webhooks import delivery
from registry.webhooks.models import Delivery, Webhook
from tests.frontend.conftest import read_html

LIST = "/n/support/webhooks"
URL = "http://127.0.0.1:9/hook"


@pytest.fixture
def admin(desk, browser, settings):
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    return browser("admin")


@pytest.fixture
def place(admin):
    admin.post(LIST, {"url": URL})
    return f"{LIST}/{Webhook.objects.get().id}"


def test_the_secret_is_on_the_answer_to_making_one_and_nowhere_else(admin):
    page = read_html(admin.post(LIST, {"url": URL, "kinds": ["label.moved"], "template": "refunds/*"}))
    secret = re.search(r"whsec_[A-Za-z0-9+/=]+", page)[0]
    assert secret not in read_html(admin.get(LIST))
    assert secret not in read_html(admin.get(f"{LIST}/{Webhook.objects.get().id}"))
    assert "label.moved" in page


def test_a_refused_address_is_reported_at_its_field_and_nothing_typed_is_lost(admin):
    answer = admin.post(LIST, {"url": "https://10.0.0.1/x", "template": "refunds/*", "kinds": ["label.moved"]})
    page = read_html(answer)
    assert answer.status_code == 422
    assert "10.0.0.1, which is not a public address" in page
    assert 'value="refunds/*"' in page
    assert re.search(r'value="label.moved" checked', page)


@pytest.mark.parametrize("role", ["reader", "author", "reviewer"])
def test_other_roles_are_refused_and_told_whom_to_ask(place, browser, role):
    for address in (LIST, place):
        answer = browser(role).get(address)
        assert answer.status_code == 403
        assert "Ask an admin" in read_html(answer)


def test_an_outsider_finds_nothing(place, browser):
    assert browser("outsider").get(place).status_code == 404


def test_a_trial_message_is_in_the_log(admin, place):
    page = read_html(admin.post(place, {"do": "ping"}, follow=True))
    assert "webhook.ping" in page
    assert "pending" in page


def test_an_unreachable_receiver_is_reported_in_the_language_of_the_page(admin, place):
    admin.post(place, {"do": "ping"})
    delivery.send_delivery(Delivery.objects.get())
    assert "be reached: nothing answers at 127.0.0.1 on port 9." in read_html(admin.get(place))
    page = read_html(admin.get(place, headers={"accept-language": "de"}))
    assert "Der Empfänger ist nicht erreichbar: Nichts antwortet unter 127.0.0.1 an Port 9." in page


def test_pausing_shows_who_did_it_and_going_on_ends_it(admin, place):
    assert "Paused by admin." in read_html(admin.post(place, {"do": "pause"}, follow=True))
    assert "Paused by admin." not in read_html(admin.post(place, {"do": "resume"}, follow=True))


def test_failed_messages_are_sent_again(admin, place):
    admin.post(place, {"do": "ping"})
    Delivery.objects.update(state=Delivery.FAILED)
    assert "1 message is being sent again." in read_html(admin.post(place, {"do": "replay"}, follow=True))
    assert Delivery.objects.get().state == Delivery.PENDING


def test_the_log_can_be_narrowed_to_a_state(admin, place):
    admin.post(place, {"do": "ping"})
    assert "webhook.ping" not in read_html(admin.get(f"{place}?state=failed")).split("Address and filters")[0]
    assert admin.get(f"{place}?state=lost").status_code == 422


def test_a_new_secret_is_shown_once_and_the_old_one_has_an_end(admin, place):
    page = read_html(admin.post(place, {"do": "rotate"}))
    assert "whsec_" in page
    assert "signed with the previous secret too" in page


def test_filters_are_changed_in_the_form(admin, place):
    admin.post(place, {"url": URL, "template": "a/*", "kinds": ["version.saved"]})
    changed = Webhook.objects.get()
    assert (changed.template, changed.subscribed_kinds) == ("a/*", ["version.saved"])


def test_one_that_is_removed_is_gone(admin, place):
    assert "No webhooks yet." in read_html(admin.post(place, {"do": "remove"}, follow=True))
    assert admin.get(place).status_code == 404


@pytest.mark.parametrize(("receiver", "name"), [("slack", "Slack"), ("teams", "Microsoft Teams")])
def test_a_channel_is_added_and_its_address_shown_nowhere(admin, receiver, name):
    page = read_html(admin.post(LIST, {"url": URL, "receiver": receiver}, follow=True))
    assert f"{name}: 127.0.0.1" in page
    assert "New secret" not in page
    assert URL not in page + read_html(admin.get(LIST))
    assert Webhook.objects.get().address == URL


def test_an_empty_address_keeps_that_of_a_channel(admin):
    admin.post(LIST, {"url": URL, "receiver": "slack"})
    admin.post(f"{LIST}/{Webhook.objects.get().id}", {"url": "", "template": "a/*"})
    changed = Webhook.objects.get()
    assert (changed.template, changed.address) == ("a/*", URL)


def test_a_service_needs_an_address(admin, place):
    assert admin.post(place, {"url": "", "template": "a/*"}).status_code == 422
    assert Webhook.objects.get().template == ""


def test_events_are_chosen_by_their_kinds_in_words(admin):
    page = read_html(admin.get(LIST))
    assert "Check finished" in page
    assert "Version saved" in page
