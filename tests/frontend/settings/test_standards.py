"""Standards on the pages: set in the rules' form, read by members, shown in the editor."""

import re
from typing import Any

import pytest

from frontend.settings.standards_form import StandardsForm
from promptuary.renderer.validation.standards_reader import read_standards
from registry.changes import rules
from registry.journal.models import Event
from registry.namespaces.models import Namespace
from registry.templates import labels
from tests.frontend.conftest import DOCUMENT, REPLY, read_html
from tests.frontend.settings.test_settings import RULES

ALL: dict[str, dict[str, Any]] = {
    "description": {"severity": "warning"},
    "tags": {"severity": "error", "least": 1, "allowed": ["refunds", "two words"]},
    "samples": {"severity": "warning", "least": 2},
    "name": {"severity": "error", "pattern": "[a-z]+/[a-z]+"},
    "size": {"severity": "error", "most": 8000},
    "banned_words": {"severity": "error", "words": ["guarantee", "for free"]},
    "required_words": {"severity": "warning", "words": ["policy"]},
    "models": {"severity": "error", "allowed": ["gpt-4o", "gpt-4o-mini"]},
}
TYPED = {
    "standards-shown": "on",
    "standards-description": "on",
    "standards-description_severity": "warning",
    "standards-tags_least": "1",
    "standards-tags_allowed": "refunds, two words",
    "standards-samples_least": "2",
    "standards-samples_severity": "warning",
    "standards-name_pattern": "[a-z]+/[a-z]+",
    "standards-size_most": "8000",
    "standards-banned_words": "guarantee\r\n\r\nfor free\r\n",
    "standards-required_words": "policy",
    "standards-required_words_severity": "warning",
    "standards-models_allowed": "gpt-4o,gpt-4o-mini",
    "standards-models_severity": "error",
}


def set_standards(desk, **standards):
    rules.set_rules(actor=desk.actor("admin"), namespace="support", standards=standards)


def test_an_admin_sets_all_standards(reply, browser):
    answer = browser("admin").post("/n/support/rules", {**RULES, **TYPED})
    assert answer["Location"] == "/n/support/rules"
    assert Namespace.objects.get(name="support").standards == ALL


def test_the_form_shows_the_standards_that_hold_and_saves_them_unchanged(reply, browser):
    set_standards(reply, **ALL)
    page = read_html(browser("admin").get("/n/support/rules"))
    assert "guarantee for free</textarea>" in page
    assert 'value="refunds, two words"' in page
    form = StandardsForm(None, read_standards(ALL))
    sent = {f"standards-{name}": form[name].value() or "" for name in form.fields} | {"standards-shown": "on"}
    browser("admin").post("/n/support/rules", {**RULES, **sent})
    assert Namespace.objects.get(name="support").standards == ALL


def test_empty_fields_clear_the_standards(reply, browser):
    set_standards(reply, **ALL)
    browser("admin").post("/n/support/rules", {**RULES, "standards-shown": "on"})
    assert Namespace.objects.get(name="support").standards == {}


def test_a_form_that_was_opened_before_there_were_standards_leaves_them(reply, browser):
    set_standards(reply, **ALL)
    browser("admin").post("/n/support/rules", {**RULES, "approvals": "3"})
    support = Namespace.objects.get(name="support")
    assert (support.standards, support.approvals) == (ALL, 3)


@pytest.mark.parametrize(
    ("field", "typed", "sentence"),
    [
        ("samples_least", "0", "A whole number from 1 to 200."),
        ("tags_least", "many", "Enter a whole number."),
        ("name_pattern", "(", "This is not a regular expression"),
        ("size_most", "999999", "A whole number from 1 to 262,144."),
        ("banned_words", "x" * 201, "1 to 200 characters"),
        ("description_severity", "note", "Select a valid choice"),
    ],
)
def test_a_wrong_standard_comes_back_at_its_field_and_nothing_is_lost(reply, browser, field, typed, sentence):
    before = Event.objects.count()
    answer = browser("admin").post("/n/support/rules", {**RULES, **TYPED, f"standards-{field}": typed})
    page = read_html(answer)
    assert answer.status_code == 422
    assert f'id="id_standards-{field}_error"' in page
    assert sentence in page
    assert "gpt-4o,gpt-4o-mini" in page
    assert Event.objects.count() == before


def test_wrong_rules_and_wrong_standards_are_reported_together(reply, browser):
    sent = {**RULES, **TYPED, "approvals": "21", "standards-size_most": "0"}
    page = read_html(browser("admin").post("/n/support/rules", sent))
    assert "A whole number from 0 to 20." in page
    assert "A whole number from 1 to 262,144." in page


def test_standards_wait_until_a_protection_is_confirmed(reply, browser):
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=2, expected=None)
    client, sent = browser("admin"), {**RULES, **TYPED}
    answer = client.post("/n/support/rules", sent)
    page = read_html(answer)
    assert (answer.status_code, Namespace.objects.get(name="support").standards) == (200, {})
    assert 'value="8000"' in page
    seal = re.search(r'name="confirmed" value="(\w+)"', page)
    client.post("/n/support/rules", {**sent, "confirmed": seal[1]})
    assert Namespace.objects.get(name="support").standards == ALL


def test_members_read_the_standards_in_words(reply, browser):
    set_standards(reply, **ALL)
    page = read_html(browser("reader").get("/n/support/rules"))
    for sentence in (
        "a description (warning)",
        "at least 1 tag<br>only these tags: refunds, two words",
        "at least 2 samples (warning)",
        "names of new templates that match [a-z]+/[a-z]+",
        "at most 8,000 characters",
        "none of these words: guarantee, for free",
        "all of these words: policy (warning)",
        "only these models: gpt-4o, gpt-4o-mini",
    ):
        assert sentence in page


def test_the_editor_tells_a_broken_standard_and_refuses_the_save(reply, browser):
    set_standards(reply, banned_words={"words": ["policy"]})
    sent = {"document": DOCUMENT.replace("before", "policy before"), "message": "", "base": "2"}
    author = browser("author")
    preview = read_html(author.post(f"/t/{REPLY}/-/edit", {**sent, "do": "preview"}))
    assert "PT007" in preview
    assert "/help/problems/PT007" in preview
    refused = author.post(f"/t/{REPLY}/-/edit", {**sent, "do": "save"})
    assert refused.status_code == 422
    assert "is not allowed in this namespace" in read_html(refused)
