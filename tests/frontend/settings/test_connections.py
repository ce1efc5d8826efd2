"""The pages of models: connected, tested, changed and removed by admins, with spending caps."""

import re

import pytest

from registry.connections.models import Connection, SpendingCap
from tests.frontend.conftest import read_html
from tests.support.fake_model_server import ModelServer

LIST = "/n/support/models"
KEY = "sk-connection-0123456789"


@pytest.fixture
def server(settings):
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    with ModelServer({"ready": "ready"}) as model_server:
        yield model_server


@pytest.fixture
def fields(server):
    fields = {"name": "small", "protocol": "openai", "base_url": server.url, "model": "small-1", "key": KEY}
    prices = {"prompt_price": "0.15", "completion_price": "0.60", "currency": "USD"}
    return {**fields, **prices, "timeout": "60", "concurrency": "4", "per_second": ""}


@pytest.fixture
def admin(desk, browser):
    return browser("admin")


@pytest.fixture
def place(admin, fields):
    return admin.post(LIST, fields)["Location"]


def test_a_connected_model_is_listed_and_its_key_is_nowhere(admin, place):
    pages = read_html(admin.get(LIST)) + read_html(admin.get(place))
    assert "small-1" in pages
    assert "0.15 in, 0.6 out USD" in pages
    assert KEY not in pages


def test_a_connection_is_not_shown_among_those_of_another_namespace(admin, place):
    assert admin.get(place.replace("/support/", "/demo/")).status_code == 404


def test_the_test_button_says_what_the_model_answered(admin, place):
    page = read_html(admin.post(place, {"do": "try"}, follow=True))
    assert "The model answered “ready” after" in page


def test_the_test_button_says_what_went_wrong(admin, fields):
    place = admin.post(LIST, {**fields, "base_url": "http://127.0.0.1:9/v1"})["Location"]
    page = read_html(admin.post(place, {"do": "try"}, follow=True))
    assert "be reached: nothing answers at 127.0.0.1 on port 9." in page
    page = read_html(admin.post(place, {"do": "try"}, follow=True, headers={"accept-language": "de"}))
    assert "ist nicht erreichbar: Nichts antwortet unter 127.0.0.1 an Port 9." in page


def test_a_wrong_field_is_reported_there_and_nothing_typed_is_lost_but_the_key(admin, fields):
    answer = admin.post(LIST, {**fields, "base_url": "https://10.0.0.1/v1", "completion_price": ""})
    page = read_html(answer)
    assert answer.status_code == 422
    assert "10.0.0.1, which is not a public address" in page
    assert 'value="small-1"' in page
    assert KEY not in page


def test_a_change_without_a_key_keeps_it(admin, place, fields):
    admin.post(place, {**fields, "key": "", "model": "small-2"})
    row = Connection.objects.get()
    assert (row.model, row.has_key) == ("small-2", True)


def test_the_limits_of_concurrent_calls_and_calls_a_second_are_set_and_shown_again(admin, place, fields):
    admin.post(place, {**fields, "timeout": "30", "concurrency": "2", "per_second": "0.5"})
    row = Connection.objects.get()
    assert (row.timeout, row.concurrency, row.per_second) == (30, 2, 0.5)
    page = admin.get(place).content.decode()
    assert re.search(r'name="concurrency"[^>]* value="2"', page)
    assert re.search(r'name="per_second"[^>]* value="0.5"', page)
    admin.post(place, fields)
    assert Connection.objects.get().per_second is None
    refused = admin.post(place, {**fields, "concurrency": "33"})
    assert refused.status_code == 422
    assert "whole number from 1 to 32" in read_html(refused)


def test_a_refused_name_is_explained_in_a_whole_sentence(admin, fields):
    refused = admin.post(LIST, {**fields, "name": "Small Model"})
    assert refused.status_code == 422
    assert "Use lower-case letters, digits, and - . _ between them" in read_html(refused)


def test_a_connection_is_removed(admin, place):
    assert "The connection small is removed." in read_html(admin.post(place, {"do": "remove"}, follow=True))
    assert not Connection.objects.exists()


def test_caps_are_set_and_taken_away(admin):
    admin.post(LIST, {"do": "cap", "person_day": "2.5", "namespace_month": "", "currency": "USD"})
    cap = SpendingCap.objects.get()
    assert (str(cap.person_day), cap.namespace_month) == ("2.500000", None)
    admin.post(LIST, {"do": "cap", "person_day": "", "namespace_month": "", "currency": "USD"})
    assert SpendingCap.objects.get().person_day is None


def test_a_cap_that_is_not_an_amount_is_refused_at_its_field(admin):
    answer = admin.post(LIST, {"do": "cap", "person_day": "a little", "namespace_month": "", "currency": "USD"})
    assert answer.status_code == 422
    assert "An amount from 0" in read_html(answer)


def test_spending_is_listed_by_model(admin, place):
    admin.post(place, {"do": "try"})
    page = read_html(admin.get(LIST))
    assert "This month" in page


@pytest.mark.parametrize("role", ["reader", "author", "reviewer"])
def test_other_roles_are_refused_and_told_whom_to_ask(place, browser, role):
    for address in (LIST, place):
        answer = browser(role).get(address)
        assert answer.status_code == 403
        assert "Ask an admin" in read_html(answer)
