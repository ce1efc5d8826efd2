"""The single sign-on page: the settings, the provider's responses, and trials that sign nobody in."""

import httpx
import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from registry.accounts.models import User
from registry.journal.models import Event
from tests.frontend.accounts.test_openid import _server, come, go, provider
from tests.frontend.accounts.test_sign_in import sign_in, turn_on_second_step
from tests.frontend.conftest import read_html
from tests.support.sessions import manage_accounts

__all__ = ["_server", "provider"]  # the fixtures

PAGE, TRY = "/people/single-sign-on", "/people/single-sign-on/try"


@pytest.fixture
def boss(desk, browser) -> Client:
    """The admin, who is one of the installation too."""
    manage_accounts(desk.people["admin"])
    client: Client = browser("admin")
    return client


def try_out(client: Client, path: str = TRY):
    """Run a complete trial and return its last page. It must not store anything."""
    before = (User.objects.count(), SocialAccount.objects.count(), Event.objects.count())
    answer = come(client, httpx.get(client.get(path)["Location"]).headers["Location"])
    assert (User.objects.count(), SocialAccount.objects.count(), Event.objects.count()) == before
    assert "Signed in as admin" in read_html(client.get("/t/"))
    return answer


def test_without_a_provider_the_page_says_what_to_set(boss):
    page = read_html(boss.get(PAGE))
    assert "No OpenID provider is set" in page
    assert "/login/with/oidc/back" in page
    assert "PROMPTUARY_OIDC_ISSUER" in page
    assert "Ask the provider" not in page
    refused = boss.post(PAGE)
    assert (refused.status_code, "No OpenID provider is set" in read_html(refused)) == (409, True)


def test_the_page_shows_what_is_set_and_no_secret(boss, provider):
    content = boss.get(PAGE).content.decode()
    assert provider.url in content
    assert "example.org" in content
    assert "set; it is not shown" in content
    assert "a secret between the two" not in content


def test_the_page_warns_where_it_is_opened_at_another_address(boss, provider, settings):
    settings.BASE_URL = "https://prompts.example.org"
    page = read_html(boss.get(PAGE))
    assert "https://prompts.example.org/login/with/oidc/back" in page
    assert "You opened this page at an address" in page
    settings.BASE_URL = "http://testserver"
    assert "You opened this page at an address" not in read_html(boss.get(PAGE))


@pytest.mark.parametrize("role", ["reader", "author", "reviewer", "admin", "outsider"])
def test_admins_of_namespaces_see_nothing_of_it(desk, browser, provider, role):
    for answer in (browser(role).get(PAGE), browser(role).post(PAGE), browser(role).get(TRY)):
        assert (answer.status_code, provider.url in answer.content.decode()) == (403, False)


def test_a_provider_as_it_has_to_be_passes_all_checks(boss, provider):
    page = read_html(boss.post(PAGE))
    assert (page.count(": passed"), page.count(": failed")) == (6, 0)
    assert "1 key" in page


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"issuer": "https://elsewhere.example"}, "It calls itself https://elsewhere.example"),
        ({"issuer": None}, "It calls itself"),
        ({"userinfo_endpoint": None}, "Missing: userinfo_endpoint."),
        ({"token_endpoint": 7, "jwks_uri": "javascript:x"}, "Missing: token_endpoint, jwks_uri."),
        ({"jwks_uri": "http://127.0.0.1:9/keys"}, "http://127.0.0.1:9/keys does not answer as it should"),
        ({"code_challenge_methods_supported": ["plain"]}, "plain"),
        ({"scopes_supported": ["openid"]}, "the scopes profile, email"),
    ],
)
def test_an_unsuitable_setting_of_the_provider_is_named(boss, provider, monkeypatch, change, sentence):
    described = provider.discovery()
    monkeypatch.setattr(provider, "discovery", lambda: {**described, **change})
    page = read_html(boss.post(PAGE))
    assert sentence in page
    assert page.count(": failed") >= 1


@pytest.mark.parametrize("described", [[], {}, {"issuer": "{url}"}])
def test_signing_in_at_a_provider_without_its_addresses_is_refused(boss, provider, monkeypatch, described):
    monkeypatch.setattr(provider, "discovery", lambda: described and {"issuer": provider.url})
    assert [client.get(path).status_code for client, path in ((boss, TRY), (Client(), "/login/with/oidc"))] == [
        503,
        503,
    ]


@pytest.mark.parametrize(
    "keys",
    [
        {"keys": []},
        {"keys": "x"},
        {},
        {"keys": [{"kty": "oct", "kid": "one"}]},
        {"keys": [{"kty": "RSA"}]},
        {"keys": [7, {"kty": "RSA", "kid": "one", "alg": "HS256"}, {"kty": "RSA", "kid": "two", "use": "enc"}]},
    ],
)
def test_keys_that_sign_nothing_are_reported(boss, provider, monkeypatch, keys):
    monkeypatch.setattr(provider, "keys", lambda: keys)
    assert "None can be used" in read_html(boss.post(PAGE))


def test_a_provider_that_is_away_ends_the_checks(boss, provider, settings):
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    app["settings"] = {"server_url": "http://127.0.0.1:9"}
    page = read_html(boss.post(PAGE))
    assert "does not answer as it should" in page
    assert (page.count(": passed"), page.count(": failed")) == (0, 1)
    assert boss.get(TRY).status_code == 503


def test_a_trial_shows_the_claims_and_the_account_that_would_be_made(boss, provider):
    page = read_html(try_out(boss))
    assert "A new account ann.lee would be made, without any role." in page
    assert "ann@example.org" in page
    assert "you are still admin" in page


def test_a_trial_finds_the_account_with_the_verified_address_and_its_roles(boss, provider, desk):
    User.objects.filter(username="author").update(email="ann@example.org")
    page = read_html(try_out(boss))
    assert "Opens the account author, found by the verified address ann@example.org." in page
    assert "author in <b>support</b>" in page
    assert "asks for two-step sign-in" not in page
    author = Client()
    sign_in(author)
    turn_on_second_step(author)
    assert "asks for two-step sign-in" in read_html(try_out(boss))


def test_a_trial_knows_who_came_before_and_stores_no_claim(boss, provider):
    client = Client()
    come(client, go(client))
    extra_data = SocialAccount.objects.get().extra_data
    provider.person |= {"name": "Another Name"}
    assert "Opens the account ann.lee, which signed in this way before." in read_html(try_out(boss))
    assert SocialAccount.objects.get().extra_data == extra_data
    User.objects.filter(username="ann.lee").update(is_active=False)
    assert "Refused: the account ann.lee is deactivated." in read_html(try_out(boss))


def test_a_trial_says_who_would_be_refused_and_why(boss, provider, settings):
    settings.OIDC_ACCOUNTS = ["known"]
    assert "no account has the address ann@example.org, and PROMPTUARY_OIDC_ACCOUNTS is known" in read_html(
        try_out(boss)
    )
    provider.person |= {"email_verified": "true"}
    assert "sends no verified mail address" in read_html(try_out(boss))
    provider.person |= {"email_verified": True}
    User.objects.filter(username__in=["author", "reader"]).update(email="ann@example.org")
    assert "several accounts have the address" in read_html(try_out(boss))


@pytest.mark.parametrize(
    "fault",
    [
        {"forge": True},
        {"unsigned": True},
        {"silent": True},
        {"twist": lambda claims: {**claims, "aud": "another-client"}},
        {"twist": lambda claims: {**claims, "nonce": "another"}},
        {"told": lambda facts: {**facts, "sub": "8"}},
        {"told": lambda _facts: ["nothing"]},
    ],
    ids=["forged", "unsigned", "silent", "audience", "nonce", "person", "no object"],
)
def test_a_trial_checks_as_a_sign_in_does(boss, provider, fault):
    vars(provider).update(fault)
    page = read_html(try_out(boss))
    assert ("was not accepted" in page or "belongs to another sign-in" in page) is True
    assert "Opens the account" not in page


def test_a_wrong_client_secret_is_reported_in_the_providers_words(boss, provider, settings):
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["secret"] = "wrong"
    page = read_html(try_out(boss))
    assert "invalid_grant" in page
    assert "wrong" not in page


def test_a_trial_cancelled_at_the_provider_is_reported(boss, provider):
    state = httpx.URL(boss.get(TRY)["Location"]).params["state"]
    page = read_html(boss.get("/login/with/oidc/back", {"error": "access_denied", "state": state}))
    assert "access_denied" in page
    again = boss.get("/login/with/oidc/back", {"error": "access_denied", "state": state}, follow=True)
    assert "You are not signed in" in read_html(again)


def test_a_trial_is_refused_for_a_former_admin(boss, provider, desk):
    back = httpx.get(boss.get(TRY)["Location"]).headers["Location"]
    User.objects.filter(username="admin").update(is_superuser=False)
    refused = come(boss, back)
    assert (refused.status_code, "ann@example.org" in read_html(refused)) == (403, False)


def test_a_trial_of_another_browser_shows_nothing(boss, provider):
    back = httpx.get(boss.get(TRY)["Location"]).headers["Location"]
    stranger = Client()
    answer = come(stranger, back)
    assert "ann@example.org" not in read_html(answer)
    assert stranger.get("/t/").status_code == 302
