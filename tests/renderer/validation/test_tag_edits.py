"""Replacing tags: the document has the requested tags, and no other character changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.validation.fixes import apply_fix
from promptuary.renderer.validation.tag_edits import edit_tags

BODY = "- name: a\n  content: Hello {{ name }}\n"
FORMS = {
    "none": BODY,
    "without tags": f"---\ndescription: A  # kept\n---\n{BODY}",
    "in brackets": f"---\ntags: [a, b]  # kept\ndescription: A\n---\n{BODY}",
    "in brackets over lines": f"---\ntags: [a,\n  b]\ndescription: A\n---\n{BODY}",
    "as a list": f"---\ntags:\n  - a\n  - b\n\ndescription: A\n---\n{BODY}",
    "as a list without a margin": f"---\ndescription: A\ntags:\n- a\n---\n{BODY}",
    "empty": f"---\ntags: []\n---\n{BODY}",
    "with Windows line ends": f"---\ntags:\n  - a\ndescription: A\n---\n{BODY}".replace("\n", "\r\n"),
    "behind a byte order mark": f"\ufeff---\ntags: [a]\n---\n{BODY}",
}
TAG = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=12)
TAGS = st.lists(TAG, max_size=4)


def rewrite(text, tags):
    fix = edit_tags(parse_document(text), tags)
    assert fix is not None
    return apply_fix(text, fix)


@pytest.mark.parametrize("form", FORMS)
@given(tags=TAGS)
def test_the_tags_are_those_asked_for_and_the_rest_stays(form, tags):
    before = parse_document(FORMS[form])
    after = parse_document(rewrite(FORMS[form], tags))
    assert list(after.tags) == tags
    assert after.body == before.body
    assert {**after.front, "tags": None} == {**before.front, "tags": None}
    assert after.text.count("# kept") == before.text.count("# kept")
    assert ("\r\n" in after.text) == ("\r\n" in before.text)


def test_only_the_list_changes():
    text = FORMS["in brackets"]
    assert rewrite(text, ["b", "new one"]) == text.replace("[a, b]", "[b, new one]")
    assert rewrite(FORMS["as a list"], ["b", "c"]) == FORMS["as a list"].replace("  - a\n  - b", "  - b\n  - c")
    assert rewrite(BODY, ["a"]) == f"---\ntags: [a]\n---\n{BODY}"


@pytest.mark.parametrize(
    "text",
    [f"---\ntags:\n  - a  # why\n  - b\n---\n{BODY}", f"---\n{{description: A}}\n---\n{BODY}"],
    ids=["a comment among the tags", "front matter in braces"],
)
def test_an_edit_that_would_lose_text_is_refused(text):
    assert edit_tags(parse_document(text), ["b"]) is None
