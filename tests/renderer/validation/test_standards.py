"""The standards of a namespace: the requirements for a document, and exact reports of what is missing."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.document.parser import inspect_document, parse_document
from promptuary.renderer.problems import unify_newlines
from promptuary.renderer.validation.fixes import apply_fix
from promptuary.renderer.validation.standards import Standards, Subject, check_standards
from promptuary.renderer.validation.standards_reader import MAX_WORDS, StandardsError, read_standards

BODY = "- name: question\n  content: Who pays the postage?\n"


def check(standards, text=BODY, fragments=(), **facts):
    subject = Subject(parse_document(text), fragments=fragments, **facts)
    return check_standards(read_standards(standards), subject)


def codes(standards, text=BODY, **facts):
    return [problem.code for problem in check(standards, text, **facts)]


def front(line, body=BODY):
    return f"---\n{line}\n---\n{body}"


def test_without_standards_nothing_is_asked():
    assert codes({}) == []


@pytest.mark.parametrize(
    ("standards", "good", "bad", "code"),
    [
        ({"description": {}}, front("description: Postage"), BODY, "PT001"),
        ({"description": {}}, front("description: Postage"), front('description: " "'), "PT001"),
        ({"tags": {"least": 2}}, front("tags: [a, b]"), front("tags: [a, a]"), "PT002"),
        ({"tags": {"least": 1}}, front("tags: [a]"), front('tags: [" "]'), "PT002"),
        ({"tags": {"allowed": ["a", "b"]}}, front("tags: [b]"), front("tags: [B]"), "PT003"),
        ({"tags": {"allowed": ["a"]}}, BODY, front("tags: [b]"), "PT003"),
        ({"size": {"most": len(BODY)}}, BODY, BODY + "x", "PT006"),
        ({"size": {"most": len(BODY)}}, BODY.replace("\n", "\r\n"), BODY + "\n", "PT006"),
        ({"banned_words": {"words": ["pay"]}}, BODY, BODY + "# PAY", "PT007"),
        ({"banned_words": {"words": ["pays the"]}}, BODY.replace("the", "for"), BODY, "PT007"),
        ({"banned_words": {"words": ["c++"]}}, BODY, BODY.replace("postage", "(C++)"), "PT007"),
        ({"banned_words": {"words": ["straße"]}}, BODY.replace("postage", "Straßen"), BODY + "# STRAßE", "PT007"),
        ({"banned_words": {"words": ["fee"]}}, "{{ fee }}{% if fee %}x{% endif %}", "{{ a }}fee", "PT007"),
        ({"banned_words": {"words": ["fee"]}}, "{{ '{{' }}{{ fee }}", "{% {{ b }} fee {{", "PT007"),
        ({"required_words": {"words": ["postage"]}}, BODY, front("description: postage", "- name: a\n"), "PT008"),
        ({"required_words": {"words": ["Postage?"]}}, BODY, BODY.replace("postage", "{# postage #}"), "PT008"),
        ({"required_words": {"words": ["the postage"]}}, BODY.replace("the ", "the\n    "), "text", "PT008"),
        ({"models": {"allowed": ["gpt-4o"]}}, front("model: gpt-4o"), front("model: gpt-4o-mini"), "PT009"),
        ({"models": {"allowed": ["gpt-4o"]}}, BODY, front("model: other"), "PT009"),
    ],
)
def test_a_document_that_meets_a_standard_has_no_problem_and_one_that_does_not_has_one(standards, good, bad, code):
    assert (codes(standards, good), codes(standards, bad)) == ([], [code])


def test_samples_are_counted_where_they_are_known():
    standards = {"samples": {"least": 2}}
    assert codes(standards, samples=["a", "b"]) == []
    assert codes(standards, samples=["a"]) == ["PT004"]
    assert codes(standards, samples=None) == []


def test_the_name_of_a_new_template_has_to_match_as_a_whole():
    standards = {"name": {"pattern": "[a-z]+/[a-z-]+"}}
    assert codes(standards, path="refunds/reply-long") == []
    assert codes(standards, path="refunds/reply/2") == ["PT005"]
    assert codes(standards, path=None) == []


def test_the_name_of_a_template_that_exists_is_a_warning_because_saving_cannot_change_it():
    (problem,) = check({"name": {"pattern": "x"}}, path="reply", exists=True)
    assert problem.severity == "warning"


def test_an_included_fragment_may_hold_the_required_words():
    standards = {"required_words": {"words": ["policy"]}}
    assert codes(standards, fragments=["Our policy."]) == []
    assert codes(standards, fragments=["---\ndescription: policy\n---\nNothing."]) == ["PT008"]


def test_all_missing_words_are_in_one_problem():
    (problem,) = check({"required_words": {"words": ["apple", "postage", "pear"]}})
    assert "`apple`, `pear`" in problem.message


@pytest.mark.parametrize("severity", ["error", "warning"])
def test_the_admin_chooses_how_severe_a_problem_is(severity):
    (problem,) = check({"description": {"severity": severity}})
    assert problem.severity == severity


@pytest.mark.parametrize(
    ("standards", "text", "place"),
    [
        ({"tags": {"allowed": ["a"]}}, front("tags: [a, bb]"), (2, 11, 2, 13)),
        ({"models": {"allowed": ["a"]}}, front("model: other"), (2, 8, 2, 13)),
        ({"banned_words": {"words": ["pays the"]}}, "é\r\nwho pays\r\nthe\n", (2, 5, 3, 4)),
        ({"size": {"most": 4}}, "abc\ndef\n", (2, 1, 3, 1)),
        ({"required_words": {"words": ["x"]}}, front("tags: []"), (4, 1, None, None)),
    ],
)
def test_a_problem_says_where_it_is(standards, text, place):
    (problem,) = check(standards, text)
    assert (problem.line, problem.column, problem.end_line, problem.end_column) == place


def test_a_misspelt_tag_is_mended_with_one_click():
    text = front("tags: [biling, support]")
    (problem,) = check({"tags": {"allowed": ["billing", "support"]}}, text)
    assert apply_fix(text, problem.fix) == front("tags: [billing, support]")


def test_a_tag_that_yaml_would_read_otherwise_is_offered_in_words_only():
    (problem,) = check({"tags": {"allowed": ["true, x"]}}, front("tags: [true x]"))
    assert (problem.fix, "true, x" in problem.message) == (None, True)


def test_of_many_tags_that_are_not_allowed_the_first_ten_are_named():
    text = front(f"tags: [{', '.join(f'tag{number}' for number in range(5_000))}]")
    assert codes({"tags": {"allowed": [f"label{number}" for number in range(100)]}}, text) == ["PT003"] * 10


def test_a_page_full_of_banned_words_is_reported_in_fifty_places():
    assert len(check({"banned_words": {"words": ["a"]}}, "a, " * 500)) == 50


@pytest.mark.parametrize("mark", ["{#", "{{", "{%", "{{{%"])
def test_marks_that_do_not_end_take_time_in_proportion_to_the_text(mark):
    standards = {"required_words": {"words": ["x"]}, "banned_words": {"words": ["y"]}}
    assert codes(standards, mark * (200_000 // len(mark))) == ["PT008"]


ALL = {
    "description": {"severity": "error"},
    "tags": {"severity": "warning", "least": 1, "allowed": ["alpha", "beta"]},
    "samples": {"severity": "error", "least": 1},
    "name": {"severity": "error", "pattern": "[a-z]+"},
    "size": {"severity": "warning", "most": 400},
    "banned_words": {"severity": "error", "words": ["forbidden thing"]},
    "required_words": {"severity": "warning", "words": ["needed thing"]},
    "models": {"severity": "error", "allowed": ["gpt-4o"]},
}


@st.composite
def good_documents(draw):
    """The pieces of a document that meets ALL."""
    filler = st.lists(st.sampled_from("lorem ipsum dolor {{ x }} forbidden needed é".split()), max_size=20)
    return {
        "description": draw(st.sampled_from(["description: Something\n", "description: |\n  Two\n  lines\n"])),
        "tags": draw(st.sampled_from(["tags: [alpha]\n", "tags: [beta, alpha]\n", "tags:\n  - alpha\n"])),
        "model": draw(st.sampled_from(["", "model: gpt-4o\n"])),
        "body": " ".join(["a", *draw(filler), "needed thing", *draw(filler), "end"]),
        "newline": draw(st.sampled_from(["\n", "\r\n"])),
        "path": draw(st.sampled_from(["a", "reply"])),
        "samples": draw(st.sampled_from([["one"], ["one", "two"]])),
    }


def problems_of(pieces):
    text = f"---\n{pieces['description']}{pieces['tags']}{pieces['model']}---\n{pieces['body']}\n"
    document, _ = inspect_document(text.replace("\n", pieces["newline"]))
    subject = Subject(document, pieces["path"], samples=pieces["samples"])
    return check_standards(read_standards(ALL), subject)


BREACHES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "PT001": lambda pieces: {"description": ""},
    "PT002": lambda pieces: {"tags": ""},
    "PT003": lambda pieces: {"tags": "tags: [alpha, gamma]\n"},
    "PT004": lambda pieces: {"samples": []},
    "PT005": lambda pieces: {"path": "Reply/2"},
    "PT006": lambda pieces: {"body": pieces["body"] + " more" * 100},
    "PT007": lambda pieces: {"body": pieces["body"] + " (Forbidden  THING)"},
    "PT008": lambda pieces: {"body": pieces["body"].replace("needed thing", "needed things")},
    "PT009": lambda pieces: {"model": "model: gpt-3\n"},
}


@given(good_documents())
def test_a_document_that_meets_all_standards_has_no_problem(pieces):
    assert problems_of(pieces) == []


@given(good_documents(), st.sampled_from(sorted(BREACHES)))
def test_taking_away_what_one_standard_needs_gives_exactly_its_problem(pieces, code):
    assert [problem.code for problem in problems_of({**pieces, **BREACHES[code](pieces)})] == [code]


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=5).filter(lambda word: word.strip()), max_size=4))
def test_any_text_can_be_checked_for_any_words_and_each_place_is_inside_it(text, words):
    document, _ = inspect_document(text)
    printable = [word for word in words if word.strip().isprintable()]
    if document is None or not printable:
        return
    lines = unify_newlines(text).split("\n")
    standards = read_standards({"banned_words": {"words": printable}, "required_words": {"words": printable}})
    for problem in check_standards(standards, Subject(document)):
        assert 1 <= problem.line <= len(lines) + 1
        assert problem.code == "PT008" or problem.column <= len(lines[problem.line - 1]) + 1


def test_standards_are_read_as_they_are_written():
    assert read_standards(ALL).to_dict() == ALL
    assert read_standards({"description": None}) == Standards()
    assert read_standards({"tags": {"least": 1, "allowed": []}}).to_dict() == {
        "tags": {"severity": "error", "least": 1}
    }


@pytest.mark.parametrize(
    ("standards", "path", "words"),
    [
        ([], "", "mapping"),
        ({"colour": {}}, "colour", "there is no such standard"),
        ({"description": True}, "description", "severity"),
        ({"description": {"severity": "note"}}, "description.severity", "error, warning"),
        ({"description": {"most": 3}}, "description.most", "there is no such setting"),
        ({"tags": {}}, "tags.least", "how many"),
        ({"tags": {"least": 51}}, "tags.least", "0 to 50"),
        ({"tags": {"allowed": "a"}}, "tags.allowed", "a list"),
        ({"tags": {"allowed": [3]}}, "tags.allowed", "a list"),
        ({"samples": {"least": 0}}, "samples.least", "1 to 200"),
        ({"samples": {"least": True}}, "samples.least", "1 to 200"),
        ({"name": {}}, "name.pattern", "missing"),
        ({"name": {"pattern": "("}}, "name.pattern", "not a regular expression"),
        ({"name": {"pattern": r"(a)\1"}}, "name.pattern", "can be slow"),
        ({"name": {"pattern": "a" * 501}}, "name.pattern", "500"),
        ({"size": {"most": 262_145}}, "size.most", "262,144"),
        ({"banned_words": {"words": []}}, "banned_words.words", "1 to 100"),
        ({"banned_words": {"words": [str(n) for n in range(MAX_WORDS + 1)]}}, "banned_words.words", "1 to 100"),
        ({"required_words": {"words": ["a\nb"]}}, "required_words.words", "can be printed"),
        ({"required_words": {"words": [" "]}}, "required_words.words", "can be printed"),
        ({"models": {"allowed": []}}, "models.allowed", "1 to 100"),
    ],
)
def test_a_wrong_setting_is_named_by_its_path(standards, path, words):
    with pytest.raises(StandardsError) as caught:
        read_standards(standards)
    assert list(caught.value.faults) == [path]
    assert words in caught.value.faults[path]


def test_all_wrong_settings_are_reported_together():
    with pytest.raises(StandardsError) as caught:
        read_standards({"colour": {}, "size": {"most": 0}})
    assert list(caught.value.faults) == ["colour", "size.most"]
