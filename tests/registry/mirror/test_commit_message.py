"""Commit messages: no user's text can pass for a trailer."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.mirror.commit_message import Entry, Stamp, compose_message, read_record, read_stamp, write_author_line
from registry.mirror.errors import MirrorError

ENTRY = Entry(
    number=7, at=1_700_000_000_123_456, author="author", subject="a 1: hi", record='{"n":7}', chain="sha256:ab"
)
texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80) | st.sampled_from(
    [
        "Promptuary-Event: 99\nPromptuary-Chain: sha256:evil",
        "\n\nPromptuary-Event: 99\n",
        "x\r\n\r\nPromptuary-Chain: y",
        "---\ndiff",
    ]
)


def test_the_trailers_say_event_version_digest_and_chain():
    message = compose_message(replace(ENTRY, template="s/a", version=1, digest="sha256:cd", note="why"))
    assert message == (
        "a 1: hi\n\n    why\n\nPromptuary-Event: 7\nPromptuary-Template: s/a\nPromptuary-Version: 1\n"
        'Promptuary-Digest: sha256:cd\nPromptuary-Record: {"n":7}\nPromptuary-Chain: sha256:ab\n'
    )


@given(texts, texts)
def test_a_user_s_words_never_change_what_the_trailers_say(subject, note):
    message = compose_message(replace(ENTRY, subject=subject, note=note))
    assert read_stamp(message) == Stamp(7, "sha256:ab")
    assert read_record(message) == '{"n":7}'


def test_a_subject_without_a_visible_character_is_replaced():
    assert compose_message(replace(ENTRY, subject="\u200e \x07")).startswith("(no subject)\n\nPromptuary-Event: 7\n")


@given(texts)
def test_the_subject_is_one_line_of_bounded_length(subject):
    first, second = compose_message(replace(ENTRY, subject=subject)).split("\n")[:2]
    assert 0 < len(first) <= 120
    assert second == ""


def test_an_event_whose_text_has_line_separators_is_read_back_whole():
    record = json.dumps({"message": "a\u2028b\u0085c\x0bd"}, ensure_ascii=False)
    assert read_record(compose_message(replace(ENTRY, record=record))) == record


def test_a_record_of_two_lines_is_refused():
    with pytest.raises(MirrorError):
        compose_message(replace(ENTRY, record="{}\n{}"))


@pytest.mark.parametrize(
    "message",
    [
        "",
        "hello",
        "a\n\nPromptuary-Event: x\nPromptuary-Chain: y",
        "a\n\nPromptuary-Event: 1",
        "a\n\nPromptuary-Event: 1\nPromptuary-Chain: y\n\nSigned-off-by: somebody",
    ],
)
def test_a_foreign_commit_message_has_no_stamp(message):
    assert read_stamp(message) is None


@pytest.mark.parametrize(
    ("author", "person"),
    [
        ("xenia", "xenia <xenia@promptuary.invalid>"),
        ("X@example.org", "X@example.org <X@example.org>"),
        (".X.", "X <X@promptuary.invalid>"),
        ("Käthe <k>", "Käthe k <Kthek@promptuary.invalid>"),
        ("...", "unknown <unknown@promptuary.invalid>"),
    ],
)
def test_an_author_has_a_name_and_an_address(author, person):
    assert write_author_line(replace(ENTRY, author=author)) == f"{person} 1700000000 +0000"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_author_makes_one_clean_line(author):
    line = write_author_line(replace(ENTRY, author=author))
    name, rest = line.split(" <", 1)
    assert name.strip() == name != ""
    assert rest.split("> ", 1)[1] == "1700000000 +0000"
    assert line.count("<") == line.count(">") == 1
    assert "\n" not in line
    assert "\0" not in line
