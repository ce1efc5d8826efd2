"""Passkeys: adding, naming and removing them, signing in with one, and every answer that is refused."""

import json
import re

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.test import Client

from registry.accounts.actor import build_operator_actor
from registry.accounts.models import User
from registry.changes import rules
from registry.people import administration
from tests.frontend.accounts.test_sign_in import compute_code, sign_in, turn_on_second_step
from tests.frontend.conftest import read_html
from tests.support.sessions import manage_accounts
from tests.support.software_passkey import SoftwarePasskey

ORIGIN = "https://prompts.example.org"
NEW, LOGIN, PROVE = "/account/passkeys/new", "/login/passkey", "/account/prove/passkey"
PASSWORD = "author-promptuary"
OPTIONS = re.compile(r'<script id="passkey-options" type="application/json">(.*?)</script>', re.DOTALL)


@pytest.fixture(autouse=True)
def site(settings):
    """The host that a passkey is for."""
    settings.ALLOWED_HOSTS = ["prompts.example.org", "localhost", "127.0.0.1"]


class SecureClient(Client):
    """A browser that speaks HTTPS."""

    def generic(self, method, path, data="", content_type="", secure=True, **further):
        return super().generic(method, path, data, content_type, True, **further)


def open_browser(host: str = "prompts.example.org", *, secure: bool = True) -> Client:
    """A browser on the site."""
    return (SecureClient if secure else Client)(SERVER_NAME=host)


def read_options(page):
    return json.loads(OPTIONS.findall(page.content.decode())[0])


def add_passkey(client: Client, passkey: SoftwarePasskey, name: str = "Laptop"):
    """Add the passkey in a session with a recent proof, and return the response to the form."""
    client.post("/account/prove", {"password": PASSWORD, "next": NEW})
    options = read_options(client.get(NEW))["creation_options"]
    return client.post(NEW, {"name": name, "credential": passkey.create(options)})


def ask(client: Client):
    return client.get(LOGIN, headers={"Accept": "application/json"}).json()["request_options"]


@pytest.fixture
def owned(desk) -> SoftwarePasskey:
    """A passkey of the author, added on the site."""
    client, passkey = open_browser(), SoftwarePasskey(ORIGIN)
    sign_in(client)
    assert add_passkey(client, passkey)["Location"] == "/account/recovery-codes"
    return passkey


def test_a_passkey_is_added_after_a_proof_and_comes_with_recovery_codes(desk):
    client = open_browser()
    sign_in(client)
    assert client.get(NEW)["Location"].startswith("/account/prove")
    answer = add_passkey(client, SoftwarePasskey(ORIGIN), "My laptop")
    assert answer["Location"] == "/account/recovery-codes"
    page = read_html(client.get("/account"))
    assert "<b>My laptop</b>" in page
    assert "10 left" in page
    assert desk.people["author"].has_two_step


def test_the_question_wants_a_passkey_that_is_found_and_verified_by_the_device(desk):
    client = open_browser()
    sign_in(client)
    client.post("/account/prove", {"password": PASSWORD, "next": NEW})
    asked = read_options(client.get(NEW))["creation_options"]["publicKey"]
    assert (asked["rp"], asked["user"]["name"]) == ({"id": "prompts.example.org", "name": "Promptuary"}, "author")
    chosen = asked["authenticatorSelection"]
    assert (chosen["residentKey"], chosen["userVerification"]) == ("required", "required")
    assert ask(open_browser())["publicKey"]["userVerification"] == "required"


def test_only_what_signing_in_needs_is_stored(desk):
    client, passkey = open_browser(), SoftwarePasskey(ORIGIN)
    sign_in(client)
    client.post("/account/prove", {"password": PASSWORD, "next": NEW})
    sent = json.loads(passkey.create(read_options(client.get(NEW))["creation_options"]))
    client.post(NEW, {"name": "", "credential": json.dumps({**sent, "more": "\0", "clientExtensionResults": {"a": 1}})})
    stored = Authenticator.objects.get(type="webauthn").data
    assert stored["name"] == "Passkey 1"
    assert set(stored["credential"]) == {"type", "id", "rawId", "response", "clientExtensionResults"}
    assert stored["credential"]["clientExtensionResults"] == {"credProps": {"rk": True}}


def test_signing_in_with_a_passkey_takes_no_password_and_leads_to_the_page_asked_for(owned):
    client = open_browser()
    assert "Sign in with a passkey" in read_html(client.get("/login?next=/t/"))
    answer = client.post(LOGIN, {"credential": owned.get(ask(client)), "next": "/t/"})
    assert answer["Location"] == "/t/"
    assert "Signed in as author" in read_html(client.get("/t/"))
    assert Authenticator.objects.get(type="webauthn").last_used_at is not None


def test_after_signing_in_it_leads_to_no_other_server(owned):
    client = open_browser()
    answer = client.post(LOGIN, {"credential": owned.get(ask(client)), "next": "https://example.com/"})
    assert answer["Location"] == "/"


def test_after_the_password_a_passkey_or_a_recovery_code_is_the_second_step(owned):
    client = open_browser()
    assert sign_in(client, next="/t/")["Location"] == "/login/code"
    assert client.get("/t/").status_code == 302
    page = client.get("/login/code")
    assert "Use a passkey" in read_html(page)
    sent = {"credential": owned.get(read_options(page)["request_options"])}
    assert client.post("/login/code", sent)["Location"] == "/t/"
    assert client.get("/t/").status_code == 200


@pytest.mark.parametrize(
    "answer",
    [
        "{}",
        "[]",
        '"x"',
        "null",
        "nonsense",
        '{"response": {}}',
        '{"id": "AA", "rawId": "AB", "response": {}}',
        '{"id": "AA", "rawId": "AA", "response": 7}',
        '{"id": "AA", "rawId": "AA", "response": {"userHandle": 7, "clientDataJSON": "AA"}}',
        '{"id": 1e400, "rawId": [], "response": {"clientDataJSON": "bnVsbA", "authenticatorData": "AA"}}',
        '{"response": ' + '{"a":' * 900 + "1" + "}" * 901,
    ],
)
def test_an_answer_that_no_browser_sends_is_refused_everywhere(owned, answer):
    before = Authenticator.objects.count()
    client = open_browser()
    ask(client)
    refused = client.post(LOGIN, {"credential": answer})
    assert (refused.status_code, "The passkey was not accepted" in read_html(refused)) == (422, True)
    sign_in(client)
    client.get("/login/code")
    assert client.post("/login/code", {"credential": answer}).status_code == 200
    assert client.get("/t/").status_code == 302
    client.post("/login/code", {"credential": owned.get(read_options(client.get("/login/code"))["request_options"])})
    client.post("/account/prove", {"password": PASSWORD, "next": NEW})
    client.get(NEW)
    assert client.post(NEW, {"name": "x", "credential": answer}).status_code == 200
    assert client.post(PROVE, {"credential": answer}).status_code == 200
    assert Authenticator.objects.count() == before


def check_refusal(client: Client, answer: str) -> None:
    refused = client.post(LOGIN, {"credential": answer})
    assert (refused.status_code, "The passkey was not accepted" in read_html(refused)) == (422, True)
    assert client.get("/t/").status_code == 302


def test_an_answer_for_another_page_is_refused(owned):
    client = open_browser()
    owned.origin = "https://evil.example"
    check_refusal(client, owned.get(ask(client)))


def test_an_answer_opens_once_and_in_its_own_session_only(owned):
    client = open_browser()
    answer = owned.get(ask(client))
    browser = open_browser()
    ask(browser)
    check_refusal(browser, answer)
    check_refusal(open_browser(), answer)
    assert client.post(LOGIN, {"credential": answer}).status_code == 302
    client.post("/logout")
    check_refusal(client, answer)


def test_a_device_that_did_not_ask_for_a_face_or_pin_is_refused(owned):
    client = open_browser()
    owned.flags = SoftwarePasskey(ORIGIN, is_verified=False).flags
    check_refusal(client, owned.get(ask(client)))
    adder, weak = open_browser(), SoftwarePasskey(ORIGIN, is_verified=False)
    sign_in(adder, "reviewer", "reviewer-promptuary")
    adder.post("/account/prove", {"password": "reviewer-promptuary", "next": NEW})
    sent = {"name": "x", "credential": weak.create(read_options(adder.get(NEW))["creation_options"])}
    assert "The passkey was not accepted" in read_html(adder.post(NEW, sent))
    assert not User.objects.get(username="reviewer").has_two_step


def test_a_wrong_signature_and_another_person_are_refused(owned, desk):
    client = open_browser()
    check_refusal(client, owned.get(ask(client), signature="MEUCIQ"))
    other = SoftwarePasskey(ORIGIN)
    other.rp_id, other.user_handle = owned.rp_id, owned.user_handle
    check_refusal(client, other.get(ask(client)))
    owned.user_handle = "MQ"  # the handle of another account, or of none
    check_refusal(client, owned.get(ask(client)))


def test_a_removed_passkey_opens_nothing(owned):
    Authenticator.objects.filter(type="webauthn").delete()
    client = open_browser()
    check_refusal(client, owned.get(ask(client)))


def test_an_account_that_is_switched_off_stays_outside(owned):
    User.objects.filter(username="author").update(is_active=False)
    client = open_browser()
    answer = client.post(LOGIN, {"credential": owned.get(ask(client))})
    assert (answer.status_code, "This account is deactivated" in read_html(answer)) == (403, True)
    assert client.get("/t/").status_code == 302


def test_many_tries_have_to_wait(owned, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "login": "2/m/ip"}
    client = open_browser()
    statuses = [client.post(LOGIN, {"credential": "{}"}).status_code for _ in range(3)]
    assert statuses == [422, 422, 429]


@pytest.mark.parametrize(
    ("host", "secure", "sentence"),
    [
        ("127.0.0.1", False, "Passkeys need a domain name: this page was opened at the IP address 127.0.0.1."),
        ("prompts.example.org", False, "Passkeys need HTTPS, and this page was opened without it."),
        ("localhost", False, ""),
    ],
)
def test_where_browsers_allow_none_the_account_says_why_and_offers_none(desk, host, secure, sentence):
    client, is_offered = open_browser(host, secure=secure), not sentence
    assert ("Sign in with a passkey" in read_html(client.get("/login"))) is is_offered
    sign_in(client)
    page = client.get("/account")
    assert (sentence in read_html(page), NEW in page.content.decode()) == (True, is_offered)
    client.post("/account/prove", {"password": PASSWORD, "next": NEW})
    page = client.get(NEW)
    assert (sentence in read_html(page), "passkey-options" in page.content.decode()) == (True, is_offered)


def test_a_passkey_is_renamed_by_its_person_only(owned, desk):
    number = Authenticator.objects.get(type="webauthn").pk
    client = open_browser()
    client.post(LOGIN, {"credential": owned.get(ask(client))})
    assert client.get(f"/account/passkeys/{number}/name")["Location"].startswith("/account/prove")
    client.post("/account/prove", {"password": PASSWORD, "next": "/account"})
    assert "This field is required." in read_html(client.post(f"/account/passkeys/{number}/name", {"name": " "}))
    assert client.post(f"/account/passkeys/{number}/name", {"name": "x" * 101}).status_code == 200
    assert client.post(f"/account/passkeys/{number}/name", {"name": "Work phone"})["Location"] == "/account"
    assert "<b>Work phone</b>" in read_html(client.get("/account"))
    stranger = open_browser()
    sign_in(stranger, "reviewer", "reviewer-promptuary")
    stranger.post("/account/prove", {"password": "reviewer-promptuary", "next": "/account"})
    for act in ("name", "remove"):
        assert stranger.get(f"/account/passkeys/{number}/{act}").status_code == 404
        assert stranger.post(f"/account/passkeys/{number}/{act}", {"name": "Mine"}).status_code == 404


def test_a_passkey_is_removed_and_its_recovery_codes_with_it(owned):
    number = Authenticator.objects.get(type="webauthn").pk
    client = open_browser()
    client.post(LOGIN, {"credential": owned.get(ask(client))})
    client.post("/account/prove", {"password": PASSWORD, "next": "/account"})
    assert "Remove the passkey Laptop" in read_html(client.get(f"/account/passkeys/{number}/remove"))
    assert client.post(f"/account/passkeys/{number}/remove")["Location"] == "/account"
    assert not Authenticator.objects.exists()
    assert sign_in(open_browser())["Location"] == "/"


def test_the_last_second_step_stays_where_a_namespace_requires_one(owned):
    rules.set_rules(actor=build_operator_actor(), namespace="support", two_step_required=True)
    client = open_browser()
    client.post(LOGIN, {"credential": owned.get(ask(client))})
    client.post("/account/prove", {"password": PASSWORD, "next": "/account"})
    number = Authenticator.objects.get(type="webauthn").pk
    page = read_html(client.post(f"/account/passkeys/{number}/remove"))
    assert "A namespace in which you may write requires two-step sign-in." in page
    turn_on_second_step(client)
    assert client.post(f"/account/passkeys/{number}/remove")["Location"] == "/account"
    assert "requires two-step sign-in" in read_html(client.post("/account/second-step/off"))
    add_passkey(client, SoftwarePasskey(ORIGIN))
    assert "will then take a passkey" in read_html(client.get("/account/second-step/off"))
    assert client.post("/account/second-step/off")["Location"] == "/account"


def test_at_most_twenty_are_kept(owned):
    person = User.objects.get(username="author")
    data = Authenticator.objects.get(type="webauthn").data
    Authenticator.objects.bulk_create([Authenticator(user=person, type="webauthn", data=data) for _ in range(19)])
    client = open_browser()
    client.post(LOGIN, {"credential": owned.get(ask(client))})
    assert "You have 20 passkeys" in read_html(add_passkey(client, SoftwarePasskey(ORIGIN)))


def test_a_passkey_is_the_proof_that_totp_asks_for(owned, settings):
    settings.PROMPTUARY_STEP_UP = "totp"
    client = open_browser()
    sign_in(client)
    number = User.objects.get(username="author").pk
    recovery = Authenticator.objects.get(type="recovery_codes", user=number).wrap().get_unused_codes()[0]
    client.post("/login/code", {"code": recovery})
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    response = client.post("/account", {"do": "address", "email": "author@example.org"})
    assert response["Location"].startswith(f"{PROVE}?")
    page = client.get(response["Location"])
    sent = {"credential": owned.get(read_options(page)["request_options"]), "next": "/account"}
    assert client.post(response["Location"], sent)["Location"] == "/account"
    assert User.objects.get(username="author").email == "author@example.org"


def test_a_reset_removes_passkeys_too(owned, desk):
    manage_accounts(desk.people["admin"])
    administration.reset_second_step(actor=desk.actor("admin"), username="author")
    assert not Authenticator.objects.filter(user=desk.people["author"]).exists()


def test_changes_of_second_steps_are_reported_by_mail(desk, settings, django_capture_on_commit_callbacks):
    settings.MAIL_IS_SENT = True
    User.objects.filter(username="author").update(email="author@example.org", language="de")
    client = open_browser()
    sign_in(client)
    add_passkey(client, SoftwarePasskey(ORIGIN))
    with django_capture_on_commit_callbacks(execute=True):
        secret = turn_on_second_step(client)
    number = Authenticator.objects.get(type="webauthn").pk
    client.post(f"/account/passkeys/{number}/remove")
    client.post("/account/second-step/off")
    assert [(sent.to, "author" in sent.subject, "/account" in sent.body) for sent in mail.outbox] == [
        (["author@example.org"], True, True)
    ] * 4
    assert len({str(sent.subject) for sent in mail.outbox}) == 4
    assert compute_code(secret) not in "".join(str(sent.body) for sent in mail.outbox)
