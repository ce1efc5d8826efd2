"""Findings in German: patterns are recognised in their texts, and document problems leave no English."""

import re

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from frontend.locale.catalogues import compile_catalogues
from frontend.web import finding_catalogue
from frontend.web.findings import translate_finding, translate_problem
from promptuary import renderer
from promptuary.renderer.errors import RenderError
from promptuary.renderer.problems import Fix, Problem
from tests.renderer.test_problem_codes import EXAMPLE, PAGES, codes_of_standards, titled
from tests.support.markdown_blocks import read_blocks

# English words that no German sentence holds, outside of code and quotes.
ENGLISH = re.compile(
    r"\b(the|is|are|must|has|have|not|this|that|with|of|and|no|may|be|than|at|found|expected|did|for|by|to|its?|from)\b"
)
QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|“[^”]*”")


@pytest.fixture(scope="module", autouse=True)
def german():
    compile_catalogues()
    finding_catalogue.read_catalogue.cache_clear()
    with translation.override("de"):
        yield


def find_english(text: str) -> list[str]:
    return ENGLISH.findall(QUOTED.sub("", translate_finding(text)))


@given(st.data())
def test_each_pattern_is_found_again_in_its_texts(data):
    catalogue = finding_catalogue.read_catalogue("de")
    pattern = data.draw(st.sampled_from(catalogue.patterns))
    values = {name: data.draw(st.integers().map(str) if name == "number" else st.text()) for name in pattern.names}
    text = pattern.write(values)
    matches = list(catalogue.find_matches(text))
    assert any(found == pattern or found.weight >= pattern.weight for found, _ in matches)
    assert all(found.write(read) == text for found, read in matches)


@given(st.text(max_size=300))
def test_any_text_at_all_is_taken(text):
    assert isinstance(translate_finding(text), str)


def problems_of(path):
    """The messages and fixes for the example on a documentation page."""
    blocks = read_blocks(path)
    pieces = {block.title: block.text for block in blocks if block.section == EXAMPLE}
    fragments = {
        title.removeprefix("Fragment "): text for title, text in pieces.items() if title.startswith("Fragment ")
    }
    for document in titled(blocks, EXAMPLE, "Document"):
        for problem in renderer.validate(document, fragments=fragments):
            yield problem.message
            if problem.fix:
                yield problem.fix.title
        if "Standards" in pieces:
            assert codes_of_standards(document, pieces["Standards"], pieces.get("Name"), {})
        try:
            template = renderer.load(document, fragments=fragments)
            template.render({})
        except RenderError as error:
            yield error.message


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_problems_of_the_documentation_leave_no_english(path):
    assert {text: find_english(text) for text in problems_of(path) if find_english(text)} == {}


DOCUMENTS = {
    "yaml": "- name: a\n  content: [",
    "front matter": "---\ninputs: {a: [}\n---\n- name: a\n  content: hi",
    "two keys": "- name: a\n  name: b\n  content: hi",
    "anchor": "- &x name: a\n  content: hi",
    "jinja": "- name: a\n  content: |\n    {% for x in y %}{{ x }",
    "unknown tag": "- name: a\n  content: |\n    {% foo %}",
    "left open": "- name: a\n  content: |\n    {% if a %}b",
    "filter": '- name: a\n  content: "{{ x | upperr }}"',
    "undeclared": '---\ninputs: {question: {type: string}}\n---\n- name: a\n  content: "{{ questoin }} {{ other }}"',
    "schema": '---\ninputs: {a: {type: strin}}\n---\n- name: a\n  content: "{{ a }}"',
    "types": '---\ninputs: {a: {type: [strin]}, b: {type: 3}, c: {type: qqq}}\n---\n- name: a\n  content: "{{ a }}"',
    "role": "- name: a\n  role: sytem\n  content: hi",
    "field": "- name: a\n  contents: hi",
    "limit": "---\ntoken_limit: 5\nmodel: gpt-4o\n---\n- name: a\n  content: |\n    " + "many words " * 40,
    "secret": "- name: a\n  content: AKIAIOSFODNN7REALKEY",
    "front key": "---\nmodl: gpt-4o\n---\n- name: a\n  content: hi",
    "untrusted": '---\ninputs: {q: {untrusted: true}}\n---\n- name: a\n  role: system\n  content: "{{ q }}"',
    "shaped": "---\nformat: shaped\n---\n{joinn(documents)} {a",
}


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_wrong_document_leaves_no_english(text):
    problems = renderer.validate(text)
    assert problems
    assert {each.message: find_english(each.message) for each in problems if find_english(each.message)} == {}


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("`order` is new and required", "`order` ist neu und erforderlich"),
        ("2 errors; line 3: the body gives no parts", "2 Fehler; Zeile 3: der Inhalt ergibt keine Teile"),
        ("No errors, 1 warning or note.", "Keine Fehler, 1 Warnung oder Hinweis."),
        ("`tone` has 22 characters; at most 3 are allowed", "`tone` hat 22 Zeichen; höchstens 3 sind erlaubt"),
        ("a range of 1,000,000 is too long; 9 is the most", "ein Bereich von 1.000.000 ist zu lang; 9 ist das Höchste"),
        (
            "`x` is used but not declared under `inputs`; did you mean `y`?",
            "`x` wird verwendet, ist aber nicht unter `inputs` deklariert; war `y` gemeint?",
        ),
        (
            "sample `a`: the input `is missing` is missing",
            "Beispiel `a`: die Eingabe `is missing` fehlt",
        ),
        ("There is no input `a`.", "Die Eingabe `a` gibt es nicht."),
        (
            "qa: 0.9 against 0.2 (+0.7; 18 rows better, 1 worse), at most 0.02 less is allowed; "
            "qa: 0.9, at least 0.5 is asked for.",
            "qa: 0.9 gegen 0.2 (+0.7; 18 Zeilen besser, 1 schlechter), erlaubt ist höchstens 0.02 weniger; "
            "qa: 0.9, verlangt ist mindestens 0.5.",
        ),
        (
            "qa: 0.9 against 0.8 (+0.1; 1 row better, 0 worse), at most 0 less is allowed",
            "qa: 0.9 gegen 0.8 (+0.1; 1 Zeile besser, 0 schlechter), erlaubt ist höchstens 0 weniger",
        ),
        (
            "unexpected end of template. Jinja was looking for the following tags: 'elif' or 'else'. "
            "The innermost block that needs to be closed is 'if'",
            "die Vorlage endet unerwartet. Jinja erwartet eines dieser Tags: 'elif' oder 'else'. "
            "Der innerste Block, der zu schließen ist, ist 'if'",
        ),
        (
            "`rolle` is not a field of a part; did you mean `role`?",
            "`rolle` ist kein Feld eines Teils; war `role` gemeint?",
        ),
        ("The key was rejected", "The key was rejected"),
        ("Zeile 3: the body gives no parts", "Zeile 3: der Inhalt ergibt keine Teile"),
        ("something that nobody says", "something that nobody says"),
        ("", ""),
        ("the body gives no parts " * 400, "the body gives no parts " * 400),
    ],
)
def test_a_finding_is_put_together_in_german(english, german):
    assert translate_finding(english) == german


def test_a_name_in_backticks_stays():
    assert translate_finding("`a list` is missing") == "`a list` fehlt"
    assert translate_finding("there is no fragment `a/part@3`") == "den Baustein `a/part@3` gibt es nicht"


def test_a_problem_gets_another_message_and_title_and_keeps_the_rest():
    problem = Problem(
        "PT404", "warning", "the input `a` is declared but never used", 3, 1, fix=Fix("Remove the input `a`")
    )
    translated = translate_problem(problem)
    assert translated.message == "die Eingabe `a` ist deklariert, wird aber nie verwendet"
    assert translated.fix == Fix("Die Eingabe `a` entfernen")
    assert (translated.code, translated.line, translated.severity) == ("PT404", 3, "warning")


def test_in_english_nothing_is_read_and_nothing_changed():
    finding_catalogue.read_catalogue.cache_clear()
    for language in ("en", "en-gb", None):
        with translation.override(language):
            assert translate_finding("the body gives no parts") == "the body gives no parts"
    assert finding_catalogue.read_catalogue.cache_info().currsize == 0


def test_a_language_without_findings_shows_them_in_english():
    with translation.override("fr"):
        assert translate_finding("the body gives no parts") == "the body gives no parts"
