"""Findings on German pages, and the same findings in English for programs."""

import pytest
from django.test import Client

from frontend.locale.catalogues import compile_catalogues
from registry.changes import check_results, rules
from registry.changes.models import Verdict
from registry.namespaces import keys
from registry.templates.models import Version
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, read_html

EDIT = f"/t/{REPLY}/-/edit"
GERMAN = {"Accept-Language": "de"}
UNDECLARED = OTHER.replace("{{ question }}", "{{ questoin }}")
ENGLISH = "`questoin` is used but not declared under `inputs`; did you mean `question`?"
SENTENCE = "`questoin` wird verwendet, ist aber nicht unter `inputs` deklariert; war `question` gemeint?"


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    compile_catalogues()


@pytest.fixture
def author(reply, browser):
    return browser("author")


def post(client, address, body, language=GERMAN):
    return client.post(address, body, content_type="application/json", headers=language)


def test_the_editor_tells_problems_and_fixes_in_german(author):
    body = {"document": UNDECLARED, "data": {"question": "Why?"}, "base": "2"}
    problems = post(author, f"{EDIT}/preview", body).json()["problems"]
    told = {problem["code"]: problem for problem in problems}
    assert told["PT403"]["message"] == SENTENCE
    assert told["PT403"]["fix"]["title"] == "`question` schreiben"
    assert told["PT403"]["fix"]["edits"][0]["line"] == told["PT403"]["line"]


def test_the_editor_says_in_german_why_nothing_is_rendered(author):
    body = {"document": OTHER.replace("{{ question }}", "{{ question | upperr }}"), "base": "2"}
    said = post(author, f"{EDIT}/preview", body).json()
    assert said["stopped"] == "den Filter `upperr` gibt es nicht; war `upper` gemeint? PT205"
    page = read_html(author.post(EDIT, {"document": body["document"], "base": "2", "do": "preview"}, headers=GERMAN))
    assert "Den Filter <code>upperr</code> gibt es nicht" in page or "den Filter `upperr` gibt es nicht" in page


def test_a_save_that_is_refused_says_why_in_german(author):
    body = post(author, EDIT, {"document": UNDECLARED, "base": "2", "do": "save"}).json()
    assert SENTENCE in [problem["message"] for problem in body["problems"]]
    assert "nicht unter <code>inputs</code> deklariert" in body["html"]


def test_a_key_and_an_english_page_get_the_finding_in_english(author, reply):
    secret = keys.issue_key(actor=reply.actor("admin"), namespace="support", name="ci", scope="write").secret
    head = {"Authorization": f"Bearer {secret}", "If-Match": Version.objects.get(number=2).digest, **GERMAN}
    body = {"document": UNDECLARED, "message": ""}
    answer = Client().put(f"/api/v1/templates/{REPLY}", body, content_type="application/json", headers=head)
    assert ENGLISH in [problem["message"] for problem in answer.json()["problems"]]
    body = {"document": UNDECLARED, "base": "2"}
    problems = post(author, f"{EDIT}/preview", body, language={"Accept-Language": "en"}).json()["problems"]
    assert ENGLISH in [problem["message"] for problem in problems]


def test_a_renaming_that_is_refused_says_why_in_german(author):
    body = {"document": OTHER, "base": "2", "do": "rename:question", "new_name": "shop", "samples": "{}"}
    said = post(author, EDIT, body).json()
    assert "Eine Eingabe `shop` gibt es schon." in said["error"]


def test_checks_are_stored_in_english_and_shown_in_german(reply, browser):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", required_checks=["contract"])
    breaking = DOCUMENT.replace("inputs:\n", "inputs:\n  order: {type: string}\n").replace(
        "You help", "{{ order }}: help"
    )
    reply.save(breaking, samples={"one": {"question": "Why?", "order": "7"}})
    change = reply.propose(3)
    check_results.run_checks(number=change.number)
    page = read_html(browser("reviewer").get(f"/changes/{change.number}", headers=GERMAN))
    assert "<code>order</code> ist neu und erforderlich" in page
    assert "Alle Beispiele lassen sich rendern." in page
    assert "Keine Fehler, 0 Warnungen und Hinweise." in page
    assert "is new and required" not in page
    stored = Verdict.objects.get(check_name="contract")
    assert stored.summary == "1 break; callers of production: `order` is new and required"
    assert "ist neu" not in stored.details


def test_the_import_page_tells_differences_and_refusals_in_german(desk, browser):
    fields = {"namespace": "support", "do": "preview", "text": "<|im_start|>user\nHi {who}<|im_end|>\n"}
    page = read_html(browser("author").post("/t/import", fields, headers=GERMAN))
    assert "Die Marken werden weggelassen; beim Rendern kommen die des jeweiligen Modells dazu." in page
    text = "<|im_start|>user\nHi<|im_end|>\nbetween\n<|im_start|>user\nX<|im_end|>"
    fields |= {"text": text, "source_format": "chatml"}
    page = read_html(browser("author").post("/t/import", fields, headers=GERMAN))
    assert "Ein Text steht zwischen zwei Nachrichten." in page


def test_rows_that_do_not_fit_are_refused_in_german(reply, browser):
    rows = '{"inputs": {"shop": "x"}}'
    sent = {"namespace": "support", "path": "gold", "form": "jsonl", "text": rows, "template": REPLY, "message": ""}
    page = read_html(browser("author").post("/d/new", sent, headers=GERMAN))
    assert "Die Eingabe <code>question</code> fehlt." in page
    answer = browser("author").post("/d/new", sent, headers={**GERMAN, "Accept": "application/json"})
    assert answer.json()["fields"] == {"row 1.inputs.question": "die Eingabe `question` fehlt"}
