"""Signing in safely: equal answers, a lockout that all processes share, a second step, passwords."""

import contextlib
import re

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth import hashers
from django.core.cache import caches
from django.test import Client, override_settings

from registry import settings as product
from registry.accounts.actor import build_operator_actor
from registry.accounts.models import User
from registry.accounts.signin import password_hashing
from registry.changes import rules
from tests.frontend.conftest import read_html

SHARED = {
    "default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "promptuary_cache"},
    "frames": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}


def sign_in(client, name="author", password="author-promptuary", **sent):
    return client.post("/login", {"username": name, "password": password, **sent})


def compute_code(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time())))))


def turn_on_second_step(client) -> str:
    """Turn on the second step; return the secret."""
    client.post("/account/prove", {"password": "author-promptuary", "next": "/account/second-step"})
    page = client.get("/account/second-step")
    secret = re.findall(r'<code id="secret"[^>]*>([A-Z2-7]+)</code>', page.content.decode())[0]
    assert client.post("/account/second-step", {"code": compute_code(secret)}).status_code == 302
    caches["default"].clear()  # so that the code of this half minute may be used again
    return str(secret)


@pytest.fixture
def enrolled(desk):
    client = Client()
    sign_in(client)
    return turn_on_second_step(client)


@pytest.mark.parametrize("name", ["author", "nobody", "asleep", "operator"])
def test_an_unknown_account_and_a_wrong_password_get_the_same_answer(desk, name):
    User.objects.create_user("asleep", password="asleep-promptuary", is_active=False)
    answers = [sign_in(Client(), who, "wrong-password") for who in ("author", name)]
    pages = [re.sub(r'value="[^"]*"|nonce="[^"]*"|content="[^"]*"', "", read_html(answer)) for answer in answers]
    assert [answer.status_code for answer in answers] == [422, 422]
    assert pages[0] == pages[1]


def test_an_account_switched_off_is_answered_as_a_wrong_password(desk):
    User.objects.create_user("asleep", password="asleep-promptuary", is_active=False)
    right = sign_in(Client(), "asleep", "asleep-promptuary")
    assert right.status_code == 422
    assert "The account or password is wrong." in read_html(right)


@pytest.mark.parametrize("name", ["author", "nobody"])
def test_either_costs_one_hashing(desk, name):
    class Counting(hashers.MD5PasswordHasher):
        algorithm = "md5"
        count = 0

        def encode(self, password, salt):
            Counting.count += 1
            return super().encode(password, salt)

    with override_settings(PASSWORD_HASHERS=[f"{__name__}.Counting"]):
        globals()["Counting"] = Counting
        sign_in(Client(), name, "wrong-password")
    assert Counting.count == 1


@pytest.mark.parametrize("name", ["author", "nobody"])
def test_five_wrong_passwords_from_one_address_have_to_wait_known_or_not(desk, name):
    answers = [sign_in(Client(), name, "wrong-password") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [422] * 5 + [429]
    right = sign_in(Client(), name, f"{name}-promptuary")
    assert right.status_code == 429
    assert "Too many failed tries" in read_html(right)
    assert sign_in(Client(), "reader", "reader-promptuary").status_code == 302


def test_wrong_passwords_from_elsewhere_do_not_keep_the_owner_out(desk):
    for number in range(8):
        for _ in range(6):
            sign_in(Client(REMOTE_ADDR=f"192.0.2.{number}"), "author", "wrong-password")
    assert sign_in(Client(REMOTE_ADDR="198.51.100.7")).status_code == 302


def test_an_address_that_is_made_up_in_a_header_gives_no_fresh_tries(desk):
    tries = [
        sign_in(Client(HTTP_X_FORWARDED_FOR=f"192.0.2.{number}"), "author", "wrong-password") for number in range(6)
    ]
    assert tries[-1].status_code == 429


def test_at_most_four_passwords_are_checked_at_the_same_time(desk, tmp_path):
    with override_settings(PASSWORD_SLOTS_PATH=tmp_path, PASSWORD_SLOTS=4):
        with contextlib.ExitStack() as stack:
            for _ in range(4):
                stack.enter_context(password_hashing.password_slot())
            with override_settings(PASSWORD_HASHERS=product.PASSWORD_HASHERS):
                answer = sign_in(Client(), "nobody", "any-password")
        assert answer.status_code == 503
        assert "Too many people sign in at the moment" in read_html(answer)
        with password_hashing.password_slot():
            assert len(list(tmp_path.iterdir())) == 4


def test_a_password_of_the_product_is_hashed_in_a_slot_and_is_plain_argon2(desk, tmp_path):
    with override_settings(PASSWORD_SLOTS_PATH=tmp_path, PASSWORD_HASHERS=product.PASSWORD_HASHERS):
        encoded = hashers.make_password("a-long-password")
        assert encoded.startswith("argon2$argon2id$")
        assert hashers.check_password("a-long-password", encoded)
        assert list(tmp_path.iterdir())


def test_the_lockout_is_in_the_database_for_all_processes(desk):
    with override_settings(CACHES=SHARED):
        for _ in range(5):
            sign_in(Client(), "author", "wrong-password")
    with override_settings(CACHES=SHARED):  # a fresh set of caches, as another process has
        assert sign_in(Client()).status_code == 429


def test_another_host_in_the_request_gives_no_further_tries(desk):
    status_codes = [
        Client().post("/login", {"username": "author", "password": "wrong"}, HTTP_HOST=f"testserver:{port}").status_code
        for port in range(8000, 8006)
    ]
    assert status_codes == [422] * 5 + [429]


def test_no_address_makes_an_account_for_a_stranger(desk):
    for path in ("/signup", "/account/signup", "/accounts/signup/", "/account/email", "/account/connections"):
        assert Client().get(path).status_code in (404,), path


def test_the_second_step_is_switched_on_with_a_picture_and_a_secret(desk):
    client = Client()
    sign_in(client)
    assert client.get("/account/second-step")["Location"].startswith("/account/prove")
    secret = turn_on_second_step(client)
    page = read_html(client.get("/account"))
    assert "On since" in page
    assert "10 left" in page
    assert secret not in page


def test_the_picture_needs_no_inline_style(desk):
    client = Client()
    sign_in(client)
    client.post("/account/prove", {"password": "author-promptuary", "next": "/account/second-step"})
    page = client.get("/account/second-step").content.decode()
    assert '<div class="qr"' in page
    assert re.search(r'<svg viewBox="[0-9. ]+" aria-hidden="true"><path d="M', page)
    assert not re.search(r"<[^>]+\sstyle=", page)


def test_the_secret_is_sealed_in_the_database(enrolled, desk):
    stored = Authenticator.objects.get(type="totp").data["secret"]
    assert enrolled not in stored


def test_with_a_second_step_the_password_alone_opens_nothing(enrolled, desk):
    client = Client()
    assert sign_in(client, next="/t/")["Location"] == "/login/code"
    assert client.get("/t/").status_code == 302
    wrong = client.post("/login/code", {"code": "000000"})
    assert "This code is not right, or was used already." in read_html(wrong)
    assert client.post("/login/code", {"code": compute_code(enrolled)})["Location"] == "/t/"
    assert client.get("/t/").status_code == 200


def test_a_code_opens_once(enrolled, desk):
    code = compute_code(enrolled)
    for client, status in ((Client(), 302), (Client(), 200)):
        sign_in(client)
        assert client.post("/login/code", {"code": code}).status_code == status


def test_a_recovery_code_opens_once(enrolled, desk):
    client = Client()
    sign_in(client)
    client.post("/login/code", {"code": compute_code(enrolled)})
    client.post("/account/prove", {"password": "author-promptuary"})
    codes = client.get("/account/recovery-codes/file").content.decode().split()
    assert len(codes) == 10
    for attempt, status in ((Client(), 302), (Client(), 200)):
        sign_in(attempt)
        assert attempt.post("/login/code", {"code": codes[0]}).status_code == status


def test_a_second_step_of_another_secret_key_names_the_way_out(enrolled, desk):
    with override_settings(SECRET_KEY="another"):
        client = Client()
        sign_in(client)
        refused = client.post("/login/code", {"code": compute_code(enrolled)})
    assert refused.status_code == 409
    assert "Ask an admin to reset it, or the operator of the server." in read_html(refused)


def test_wrong_codes_are_limited(enrolled, desk):
    client = Client()
    sign_in(client)
    for number in range(12):
        last = client.post("/login/code", {"code": f"{number:06}"})
    assert "Too many" in read_html(last)
    assert "Too many" in read_html(client.post("/login/code", {"code": compute_code(enrolled)}))


def test_the_second_step_stays_on_where_a_namespace_requires_it(enrolled, desk):
    rules.set_rules(actor=build_operator_actor(), namespace="support", two_step_required=True)
    client = Client()
    sign_in(client)
    client.post("/login/code", {"code": compute_code(enrolled)})
    client.post("/account/prove", {"password": "author-promptuary"})
    page = read_html(client.post("/account/second-step/off"))
    assert "A namespace in which you may write requires two-step sign-in." in page
    assert Authenticator.objects.filter(type="totp").exists()


def test_the_second_step_is_switched_off_after_a_proof(enrolled, desk):
    client = Client()
    sign_in(client)
    client.post("/login/code", {"code": compute_code(enrolled)})
    assert client.get("/account/second-step/off")["Location"].startswith("/account/prove")
    client.post("/account/prove", {"password": "author-promptuary"})
    assert client.post("/account/second-step/off")["Location"] == "/account"
    assert sign_in(Client())["Location"] == "/"


CHANGED = {"oldpassword": "author-promptuary", "password1": "another-fine-phrase", "password2": "another-fine-phrase"}


def test_another_password_ends_all_other_sessions(desk):
    here, there = Client(), Client()
    sign_in(here), sign_in(there)
    assert here.post("/account/password", CHANGED)["Location"] == "/account"
    assert (here.get("/t/").status_code, there.get("/t/").status_code) == (200, 302)
    assert sign_in(Client()).status_code == 422
    assert sign_in(Client(), password="another-fine-phrase").status_code == 302


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"oldpassword": "wrong"}, "This is not your present password."),
        ({"password1": "short", "password2": "short"}, "at least 12 characters"),
        ({"password2": "something-else-entirely"}, "same password"),
    ],
)
def test_a_password_that_does_not_do_is_refused_at_its_field(desk, typed, sentence):
    client = Client()
    sign_in(client)
    answer = client.post("/account/password", {**CHANGED, **typed})
    assert sentence in read_html(answer)
    assert sign_in(Client()).status_code == 302


def test_argon2_keeps_the_passwords():
    assert product.PASSWORD_HASHERS == ["registry.accounts.signin.password_hashing.SlotArgon2Hasher"]


def test_without_a_provider_there_is_no_way_to_one(desk):
    assert "Sign in with" not in read_html(Client().get("/login"))
    assert Client().get("/login/with/oidc").status_code == 404
    assert Client().get("/login/with/other/back").status_code == 404
