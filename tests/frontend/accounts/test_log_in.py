"""Signing in and out."""

import pytest
from django.test import Client

from registry.accounts.models import User
from tests.frontend.conftest import read_html


def test_a_stranger_is_sent_to_the_login_and_comes_back_after_it(desk):
    client = Client()
    answer = client.get("/t/support/?q=boots")
    assert answer["Location"] == "/login?next=/t/support/%3Fq%3Dboots"
    signed_in = client.post(
        "/login", {"username": "author", "password": "author-promptuary", "next": "/t/support/?q=boots"}
    )
    assert signed_in["Location"] == "/t/support/?q=boots"


def test_a_wrong_password_is_reported_and_keeps_the_account(desk):
    answer = Client().post("/login", {"username": "author", "password": "wrong", "next": "/"})
    assert answer.status_code == 422
    assert 'value="author"' in read_html(answer)
    assert "The account or password is wrong." in read_html(answer)


@pytest.mark.parametrize("target", ["https://example.org/", "//example.org", "javascript:alert(1)"])
def test_the_login_leads_to_no_other_server(desk, target):
    answer = Client().post("/login", {"username": "author", "password": "author-promptuary", "next": target})
    assert answer["Location"] == "/"


def test_signing_out_ends_the_session(browser):
    client = browser("author")
    assert client.post("/logout")["Location"] == "/login"
    assert client.get("/t/").status_code == 302


def test_a_region_asked_for_without_a_session_makes_the_page_reload(desk):
    answer = Client().get("/t/", headers={"HX-Request": "true"})
    assert answer.status_code == 401
    assert answer["HX-Refresh"] == "true"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_is_in_the_first_byte_that_is_painted(browser, theme):
    client = browser("reader")
    assert client.post("/theme", {"theme": theme, "next": "/t/"})["Location"] == "/t/"
    assert f'<html lang="en" data-theme="{theme}"' in read_html(client.get("/t/"))


def test_no_choice_of_theme_follows_the_system(browser):
    client = browser("reader")
    client.post("/theme", {"theme": "dark"})
    client.post("/theme", {"theme": "system"})
    assert "data-theme=" not in read_html(client.get("/t/"))


def test_on_a_new_server_the_page_says_how_the_first_account_is_created(db):
    page = read_html(Client().get("/login"))
    assert "Nobody has an account yet." in page
    assert "<code>manage.py createperson admin</code>" in page
    User.objects.create(username="first")
    assert "Nobody has an account yet." not in read_html(Client().get("/login"))
