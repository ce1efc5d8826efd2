"""The default message of a version whose author wrote none."""

import pytest

from registry.templates.models import Version
from tests.frontend.conftest import OTHER, REPLY

EDIT = f"/t/{REPLY}/-/edit"


@pytest.fixture
def author(reply, browser):
    return browser("author")


def save(client, document, address=EDIT, base="2", **fields):
    client.post(address, {"document": document, "base": base, "do": "save", "message": ""} | fields)
    return Version.objects.latest("pk").message


def test_a_changed_line_is_named_by_its_part(author):
    assert save(author, OTHER.replace("before you answer", "and stop")) == "1 line changed in instructions"


def test_a_typed_message_is_kept(author):
    assert save(author, OTHER.replace("before you answer", "and stop"), message="Stop") == "Stop"


def test_lines_of_several_parts_are_counted(author):
    longer = OTHER.replace("before you answer.", "and stop.\n    Be brief.").replace(
        "{{ question }}", "Q: {{ question }}"
    )
    assert save(author, longer) == "3 lines changed in instructions, question"


def test_a_changed_head_has_no_part(author):
    assert save(author, OTHER.replace("a refund question", "one refund question")) == "1 line changed"


def test_long_names_of_parts_are_left_out(author):
    name = "long " * 50
    assert save(author, OTHER.rstrip("\n") + f"\n- name: {name.strip()}\n  content: Thanks\n") == "2 lines changed"


def test_a_new_part_is_named_and_a_removed_line_counts(author):
    added = "- name: end\n  content: Thank you.\n"
    assert save(author, OTHER.rstrip("\n") + "\n" + added) == "2 lines changed in end"
    assert save(author, OTHER, base="3") == "2 lines changed in question"


def test_a_text_that_is_new_all_over_is_described_quickly(author):
    text = "".join(f"- name: p{number}\n  content: same\n" for number in range(5000))
    assert save(author, text) == "10000 lines changed"


def test_the_first_version_is_called_so(author):
    assert save(author, OTHER, "/t/support/fresh/-/edit", "") == "First version"


def test_a_change_of_samples_alone_makes_no_version(author):
    save(author, OTHER, sample="late", data='{"question": "How?"}')
    assert Version.objects.count() == 2
