"""Signing in through a real OpenID provider, using all of allauth's code."""

import httpx
import jwt
import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from registry.accounts.models import User
from tests.frontend.accounts.test_sign_in import compute_code, sign_in, turn_on_second_step
from tests.frontend.conftest import read_html
from tests.support.fake_oidc import CLIENT, SECRET, Provider, running_provider, split_address

BACK = "/login/with/oidc/back"


@pytest.fixture(scope="module")
def _server():
    with running_provider() as provider:
        yield provider


@pytest.fixture
def provider(_server: Provider, desk, settings) -> Provider:
    """A fresh mind for the one server, and settings that point at it; known people and those of example.org come in."""
    url = _server.url
    vars(_server).update(vars(Provider()))
    _server.url = url
    settings.OIDC_ISSUER, settings.OIDC_NAME, settings.OIDC_ACCOUNTS = url, "Example", ["example.org"]
    app = {"provider_id": "oidc", "name": "Example", "client_id": CLIENT, "secret": SECRET}
    settings.SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [{**app, "settings": {"server_url": url}}]}
    }
    return _server


def go(client: Client, target: str = "/t/") -> str:
    """Go to the provider and return the address that it redirects to, without following it."""
    there = client.get(f"/login/with/oidc?next={target}")
    assert there.status_code == 302, there.content
    return httpx.get(there["Location"]).headers["Location"]


def come(client: Client, back: str):
    path, query = split_address(back)
    return client.get(path, query)


def test_the_login_page_offers_the_provider_by_its_name(provider):
    assert "Sign in with Example" in read_html(Client().get("/login?next=/t/"))


def test_a_person_of_an_allowed_domain_gets_an_account_without_a_password(provider):
    client = Client()
    answer = come(client, go(client))
    assert answer["Location"] == "/t/"
    assert client.get("/t/").status_code == 200
    person = User.objects.get(username="ann.lee")
    assert (person.email, person.display_name, person.has_usable_password()) == ("ann@example.org", "Ann Lee", False)
    assert SocialAccount.objects.get(user=person).uid == "7"


def test_the_question_carries_state_nonce_and_a_pkce_challenge(provider):
    client = Client()
    go(client)
    asked = provider.asked[0]
    assert (asked["code_challenge_method"], set(asked["scope"].split())) == ("S256", {"openid", "profile", "email"})
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3


def test_a_second_sign_in_uses_the_same_account(provider):
    for _ in range(2):
        client = Client()
        come(client, go(client))
    assert User.objects.filter(username__startswith="ann").count() == 1


def test_a_known_person_is_found_by_the_verified_address(provider, desk, settings):
    settings.OIDC_ACCOUNTS = ["known"]
    User.objects.filter(username="author").update(email="Ann@example.org")
    client = Client()
    come(client, go(client))
    assert "Signed in as author" in read_html(client.get("/t/"))


def test_a_name_alone_proves_nothing(provider):
    provider.person |= {"preferred_username": "admin"}
    client = Client()
    come(client, go(client))
    assert "Signed in as admin-2" in read_html(client.get("/t/"))


@pytest.mark.parametrize(
    ("facts", "accounts"),
    [
        ({}, ["known"]),
        ({"email": "eve@example.com"}, ["example.org"]),
        ({"email_verified": False}, ["example.org"]),
        ({"email": "eve@example.org.example.com"}, ["example.org"]),
        ({"email": None}, ["example.org"]),
    ],
)
def test_a_stranger_gets_no_account(provider, settings, facts, accounts):
    settings.OIDC_ACCOUNTS = accounts
    provider.person |= facts
    before = User.objects.count()
    client = Client()
    answer = come(client, go(client))
    assert answer.status_code == 403
    assert "An admin of this Promptuary makes one." in read_html(answer)
    assert User.objects.count() == before
    assert client.get("/t/").status_code == 302


def test_an_address_that_was_not_verified_opens_nobody_else_s_account(provider, settings):
    settings.OIDC_ACCOUNTS = ["any"]
    User.objects.filter(username="admin").update(email="ann@example.org")
    provider.person |= {"email_verified": False}
    client = Client()
    come(client, go(client))
    assert "Signed in as ann.lee" in read_html(client.get("/t/"))


def check_failure(provider) -> None:
    before = User.objects.count()
    client = Client()
    answer = come(client, go(client))
    assert answer.status_code in (401, 403), answer.status_code
    assert "You are not signed in" in read_html(answer)
    assert client.get("/t/").status_code == 302
    assert User.objects.count() == before


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://elsewhere.example"},
        {"aud": "another-client"},
        {"aud": [CLIENT, "another"], "azp": "another"},
        {"nonce": "another"},
        {"nonce": None},
        {"exp": 1_700_000_000},  # years ago
        {"sub": "8"},
    ],
    ids=lambda claims: ",".join(f"{name}={str(value)[:12]}" for name, value in claims.items()),
)
def test_a_token_with_another_claim_is_refused(provider, claims):
    provider.twist = lambda said: {**said, **claims}
    check_failure(provider)


def test_a_token_signed_by_another_key_is_refused(provider):
    provider.forge = True
    check_failure(provider)


def test_a_token_that_nobody_signed_is_refused(provider):
    provider.unsigned = True
    check_failure(provider)


def test_a_token_signed_with_the_client_s_own_secret_is_refused(provider, monkeypatch):
    forged = lambda claims: jwt.encode(claims, SECRET * 2, algorithm="HS256", headers={"kid": "one"})  # noqa: E731
    provider._sign = forged
    check_failure(provider)
    del provider._sign


def test_a_missing_token_proves_nothing(provider):
    provider.silent = True
    check_failure(provider)


def test_userinfo_about_another_person_is_refused(provider):
    provider.told = lambda facts: {**facts, "sub": "8", "email": "boss@example.org"}
    check_failure(provider)


def test_a_state_of_another_browser_is_refused(provider):
    back = go(Client())
    answer = come(Client(), back)
    assert "You are not signed in" in read_html(answer)


def test_a_code_is_taken_once(provider):
    client = Client()
    back = go(client)
    come(client, back)
    client.post("/logout")
    assert "You are not signed in" in read_html(come(client, back))


def test_a_provider_that_calls_itself_otherwise_is_refused(provider):
    provider.calls_itself = "https://elsewhere.example"
    answer = Client().get("/login/with/oidc")
    assert (answer.status_code, "does not answer as it should" in read_html(answer)) == (503, True)


def test_a_provider_that_is_away_is_reported(provider, settings):
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    app["settings"] = {"server_url": "http://127.0.0.1:9"}
    assert Client().get("/login/with/oidc").status_code == 503


def test_a_sign_in_cancelled_at_the_provider_is_reported(provider):
    client = Client()
    state = split_address(go(client))[1]["state"]
    answer = client.get(BACK, {"error": "access_denied", "state": state}, follow=True)
    assert "You cancelled the sign-in" in read_html(answer)


def test_the_way_back_leads_to_no_other_server(provider):
    client = Client()
    assert come(client, go(client, "https://example.com/"))["Location"] == "/"


def test_an_account_switched_off_stays_outside(provider, desk):
    User.objects.filter(username="author").update(email="ann@example.org", is_active=False)
    client = Client()
    answer = come(client, go(client))
    assert "deactivated" in read_html(answer)
    assert client.get("/t/").status_code == 302


def test_a_second_step_is_asked_for_here_too(provider, desk):
    first = Client()
    sign_in(first)
    secret = turn_on_second_step(first)
    User.objects.filter(username="author").update(email="ann@example.org")
    client = Client()
    assert come(client, go(client))["Location"] == "/login/code"
    assert client.post("/login/code", {"code": compute_code(secret)})["Location"] == "/t/"


def test_the_password_page_names_the_provider(provider):
    client = Client()
    come(client, go(client))
    assert client.get("/account/password")["Location"] == "/account/no-password"
    assert "You sign in through Example" in read_html(client.get("/account/no-password"))
