"""The language of the pages: the person's choice, or else the browser's preference."""

import pytest
from django.test import Client

from frontend.locale.catalogues import compile_catalogues
from registry.accounts.models import User
from tests.frontend.conftest import read_html

GERMAN = {"Accept-Language": "de-CH, de;q=0.9, en;q=0.5"}


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    compile_catalogues()


def test_the_account_page_has_the_switch(desk, browser):
    client = browser("author")
    assert '<html lang="en"' in read_html(client.get("/account"))
    sent = {"do": "profile", "full_name": "", "time_zone": "", "language": "de"}
    page = read_html(client.post("/account", sent, follow=True))
    assert '<html lang="de"' in page
    assert "Gespeichert." in page
    assert '<option value="de" lang="de" selected>Deutsch</option>' in page
    assert '<html lang="de"' in read_html(client.get("/"))
    client.post("/account", {**sent, "language": "en"})
    assert '<html lang="en"' in read_html(client.get("/", headers=GERMAN))


def test_without_a_choice_the_browser_decides(desk, browser):
    answer = browser("author").get("/account", headers=GERMAN)
    assert '<html lang="de"' in read_html(answer)
    assert "Accept-Language" in answer["Vary"]


def test_a_choice_goes_before_the_browser(desk, browser):
    User.objects.filter(username="author").update(language="en")
    answer = browser("author").get("/account", headers=GERMAN)
    assert '<html lang="en"' in read_html(answer)
    assert "Accept-Language" not in answer["Vary"]


def test_a_signed_out_page_is_in_the_language_of_the_browser(db):
    assert '<html lang="de"' in read_html(Client().get("/login", headers=GERMAN))
    assert '<html lang="en"' in read_html(Client().get("/login", headers={"Accept-Language": "fr"}))


def test_an_unknown_language_is_refused_and_what_was_typed_stays(desk, browser):
    sent = {"do": "profile", "full_name": "Typed", "time_zone": "", "language": "xx"}
    answer = browser("author").post("/account", sent)
    assert answer.status_code == 422
    assert "There are the languages en, de." in read_html(answer)
    assert 'value="Typed"' in read_html(answer)


def test_a_language_that_was_removed_is_read_as_none(desk, browser):
    User.objects.filter(username="author").update(language="xx")
    assert '<html lang="en"' in read_html(browser("author").get("/account"))


def test_one_reader_s_language_is_not_the_next_one_s(desk, browser):
    User.objects.filter(username="author").update(language="de")
    assert '<html lang="de"' in read_html(browser("author").get("/account"))
    assert '<html lang="en"' in read_html(browser("reader").get("/account"))


def test_the_api_answers_a_key_in_english_and_a_person_in_their_language(desk, browser):
    User.objects.filter(username="author").update(language="de")
    path, wrong = "/api/v1/account", {"language": "xx"}
    answer = browser("author").patch(path, wrong, content_type="application/json")
    assert "Sprachen" in answer.json()["fields"]["language"]
    answer = Client().patch(path, wrong, content_type="application/json", headers=GERMAN)
    assert answer.json()["detail"].startswith("Give an API key")


def test_the_scripts_texts_are_loaded_before_the_scripts(desk, browser):
    User.objects.filter(username="author").update(language="de")
    assert "/texts/" not in read_html(browser("reader").get("/account"))
    answer = Client().get("/texts/de.js")
    assert answer["Content-Type"].startswith("text/javascript")
    assert "immutable" in answer["Cache-Control"]
    assert Client().get("/texts/xx.js").status_code == 404


def test_a_mail_to_confirm_an_address_is_in_the_language_of_the_page(desk, browser, settings, mailoutbox):
    settings.MAIL_IS_SENT = True
    User.objects.filter(username="author").update(language="de")
    browser("author").post("/account", {"do": "address", "email": "author@example.org"})
    assert mailoutbox[0].subject == "Die Adresse für Promptuary bestätigen"


def test_refused_sign_ins_speak_the_browser_s_language(desk):
    page = read_html(Client(headers=GERMAN).post("/login", {"login": "author", "password": "wrong"}))
    assert '<html lang="de"' in page
