"""Which texts look like credentials or personal data and which don't, found in linear time."""

import random
import string
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary import renderer
from promptuary.renderer.validation import personal_data, secrets
from promptuary.renderer.validation.secret_patterns import PATTERNS

ROOT = Path(__file__).parents[3]
_RANDOM = random.Random(19)


def of(alphabet, count):
    return "".join(_RANDOM.choice(alphabet) for _ in range(count))


HEX, DIGITS, UPPER = "0123456789abcdef", string.digits, string.ascii_uppercase + string.digits
WORD = string.ascii_letters + string.digits
KINDS = {
    "a private key": ["-----BEGIN OPENSSH " + "PRIVATE KEY-----", "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----"],
    "an age key": ["AGE-SECRET-KEY-1" + of(UPPER, 58)],
    "an AWS access key": ["AKIA" + of(UPPER, 16), "ASIA" + of(UPPER, 16)],
    "an AWS secret key": [
        "aws_secret_access_key = " + of(WORD, 40),
        '"SecretAccessKey": "' + of(WORD, 40) + '"',
        "AWS_SECRET_KEY=" + of(WORD, 40),
    ],
    "a Google API key": ["AIza" + of(WORD, 35)],
    "a Google OAuth secret": ["GOCSPX-" + of(WORD, 28)],
    "a key of a Google Cloud service account": ['"private_key_id": "' + of(HEX, 40) + '"'],
    "an Azure storage key": [
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=" + of(WORD, 86) + "==;EndpointSuffix=y",
        "Endpoint=sb://x/;SharedAccessKey=" + of(WORD, 43) + "=",
    ],
    "a Databricks token": ["dapi" + of(HEX, 32), "dapi" + of(HEX, 32) + "-2"],
    "an Anthropic API key": ["sk-ant-" + "api03-" + of(WORD, 90)],
    "an OpenAI API key": ["sk-" + of(WORD, 48), "sk-" + "proj-" + of(WORD, 60)],
    "a Hugging Face token": ["hf_" + of(WORD, 34)],
    "a Groq API key": ["gsk_" + of(WORD, 52)],
    "a GitHub token": ["ghp_" + of(WORD, 36), "github_pat_" + of(WORD, 82)],
    "a GitLab token": ["glpat-" + of(WORD, 20), "glrt-" + of(WORD, 20)],
    "an npm token": ["npm_" + of(WORD, 36)],
    "a PyPI token": ["pypi-" + "AgEIcHlwaS5vcmc" + of(WORD, 90)],
    "a Slack token": ["xoxb-" + "123456789012-" + of(WORD, 24), "xapp-" + "1-A0123-456-" + of(HEX, 40)],
    "a Slack webhook": ["https://hooks.slack.com/" + "services/T0AB1CD2E/B0AB1CD2E/" + of(WORD, 24)],
    "a Twilio key": ["SK" + of(HEX, 32), "AC" + of(HEX, 32)],
    "a SendGrid key": ["SG." + of(WORD, 22) + "." + of(WORD, 43)],
    "a Stripe key": ["sk_live_" + of(WORD, 24), "rk_live_" + of(WORD, 99)],
    "a webhook's secret": ["whsec_" + of(WORD, 43) + "="],
    "a key of this registry": ["pb_" + of(WORD, 8) + "_" + of(WORD, 43)],
    "a signed web token": ["eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + of(WORD, 43)],
    "a password in an address": ["https://user:pa55@" + "host/x", "redis://:hunter22@" + "cache:6379"],
    "a user name and password": ["Authorization: Basic " + "dXNlcjpwYXNzd29yZA=="],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in KINDS.items() for text in texts])
@pytest.mark.parametrize("around", ["{}", "use {} here", "it is ({}).", '{{"a": "{}"}}', "line one\n{}\nline three"])
def test_a_credential_is_found_wherever_it_stands(kind, text, around):
    whole = around.format(text)
    assert [(secret.kind, secret.sure) for secret in secrets.find_secrets(whole)] == [(kind, True)]


@pytest.mark.parametrize(
    "text",
    [
        "AKIA…",
        "sk-…",
        "sk-ant-...",
        "sk-" + "x" * 40,
        "ghp_" + "X" * 36,
        "AKIAXXXXXXXXXXXXXXXX",
        "sk-your-key-goes-here-please",
        "https://user:********@host/",
        "postgres://{{ user }}:{{ password }}@host/",
        "Authorization: Bearer {{ token }}",
        "sk-learn and tasks-of-the-day-are-many-and-long",
        "sha256:" + of(HEX, 64),
        of(HEX, 40),
        "the secret: be kind and patient always",
        "SKU 12345 and ACCOUNT 67890",
        "see https://example.org/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v?x=1&y=2",
        "/support/Refunds/reply2/versions/and/many/more",
    ],
)
def test_a_placeholder_and_what_is_not_a_credential_pass(text):
    assert list(secrets.find_secrets(text)) == []


@pytest.mark.parametrize(
    "text", ["wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ8mVbT2Lk", "api_key: 9f8A7b6C5d4E3f2A1b0C", "Bearer 9f8A7b6C5d4E3f2A1b0C"]
)
def test_random_looking_text_is_not_sure(text):
    assert [(secret.kind, secret.sure) for secret in secrets.find_secrets(text)] == [("a secret", False)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("card 4111 1111 1111 1111", "the number of a payment card"),
        ("card 5500-0000-0000-0004.", "the number of a payment card"),
        ("378282246310005", "the number of a payment card"),
        ("IBAN DE89 3704 0044 0532 0130 00 BITTE", "the number of a bank account"),
        ("to GB29NWBK60161331926819", "the number of a bank account"),
        ("write to jane.doe+x@acme.co.uk, please", "an e-mail address"),
    ],
)
def test_personal_data_is_found(text, kind):
    assert [datum.kind for datum in personal_data.find_personal_data(text)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "order 4111 1111 1111 1112",
        "4111111111111111234",
        "1234567890123456",
        "version 2.4111111111111111",
        "0000000000000000",
        "DE89 3704 0044 0532 0130 01",
        "AB12CDEFGHIJKLMNOPQRST",
        "someone@example.com, a@b.example.org, x@mail.test",
        "@mention and name@ and user@localhost",
        "{{ email }}@{{ domain }}",
        "2026-11-22 13:45:00",
    ],
)
def test_something_that_is_not_personal_data_passes(text):
    assert list(personal_data.find_personal_data(text)) == []


def test_a_document_gets_warnings_that_repeat_nothing():
    text = "---\nformat: text\n---\nPay 4111 1111 1111 1111\nor ask jane.doe@acme.io\n"
    problems = [(p.code, p.severity, p.line, p.column) for p in renderer.validate(text)]
    assert problems == [("PT710", "warning", 4, 5), ("PT710", "warning", 5, 8)]
    assert not any("4111" in p.message or "jane" in p.message for p in renderer.validate(text))


def test_samples_get_warnings_with_the_path():
    text = "---\nformat: text\n---\n{{ a }}\n"
    problems = renderer.validate(text, {"s": {"a": {"mail": ["jane@acme.io"]}}})
    assert [(p.code, p.severity, p.sample, p.variable) for p in problems] == [("PT710", "warning", "s", "a.mail[0]")]


def test_a_secret_in_a_name_is_refused_and_not_repeated():
    key = "AKIA" + of(UPPER, 16)
    text = "---\nformat: text\n---\n{{ a }}\n"
    for samples in ({"s": {"a": {key: "x"}}}, {key: {"a": "x"}}):
        problems = [p for p in renderer.validate(text, samples) if p.code == "PT701"]
        assert [p.severity for p in problems] == ["error"]
        assert not any(key in str(p.to_dict()) for p in problems)


def test_the_starter_library_and_the_documentation_hold_none():
    files = [*(ROOT / "registry" / "starter").rglob("*.yml*"), *(ROOT / "docs" / "guide").rglob("*.md")]
    assert len(files) > 50
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert [*secrets.find_secrets(text), *personal_data.find_personal_data(text)] == [], path


NEAR = [*(text for texts in KINDS.values() for text in texts), "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00",
    "jane.doe@acme.io", "api_key: 9f8A7b6C5d4E3f2A1b0C", "ap\u0131-key=9f8A7b6C5d4E3f2A1b0C",
    "\u017fecret: 9f8A7b6C5d4E3f2A1b0C", "bearer\u20039f8A7b6C5d4E3f2A1b0C", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ8mVbT2Lk",
    "\u0664\u0661\u0661\u0661 1111 1111 1111", "\ud800", " ", "\n", "a", "{{ x }}"]  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(NEAR), st.text(max_size=3)), max_size=6).map("".join))
def test_looking_only_for_what_is_hinted_at_misses_nothing(text):
    every = (*PATTERNS, *secrets._SUSPICIOUS)
    assert list(secrets.find_secrets(text)) == list(secrets._find(text, every))
    assert list(personal_data.find_personal_data(text)) == list(personal_data._find(text, (0, 1, 2)))


@pytest.mark.parametrize("text", [text for texts in KINDS.values() for text in texts])
def test_each_credential_is_hinted_at(text):
    every = (*PATTERNS, *secrets._SUSPICIOUS)
    assert list(secrets.find_secrets(text)) == list(secrets._find(text, every))


def test_hints_are_found_in_any_text():
    hints = ("a+b", "[0-9]{3}", "(?i)k")
    assert list(secrets.find_hints("x123 aab", hints)) == [0, 1]
    assert list(secrets.find_hints("\ud800\u212a", hints)) == [2]
    assert list(secrets.find_hints("", hints)) == []


HOSTILE = {
    "names": "a." * 125_000,
    "addresses": "a://" * 62_000,
    "credentials in addresses": "a://b:" + "c" * 250_000,
    "web tokens": "eyJaaaaaaaaaa-" * 18_000,
    "keys": ("AKIA" + "A1" * 8 + " ") * 12_000,
    "assigned": "secret_key=    " * 17_000,
    "dashes": "-----BEGIN " * 22_000,
    "numbers": "4111 " * 50_000,
    "digits": "4" * 250_000,
    "accounts": "DE89 " * 50_000,
    "capitals": "AB12 " * 50_000,
    "mail": "a." * 60_000 + "@" + "a." * 60_000,
    "at signs": "a@" * 120_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_longest_document_is_looked_through_in_a_moment(name):
    began = time.process_time()
    list(secrets.find_secrets(HOSTILE[name]))
    list(personal_data.find_personal_data(HOSTILE[name]))
    assert time.process_time() - began < 3
