"""Checks of free text: types, characters and size."""

import pytest

from registry.core.errors import Invalid, TooLarge
from registry.core.input_checks import check_text


def test_text_comes_back_as_it_is():
    assert check_text("message", "tabs\t and 👩‍🚀\r\n") == "tabs\t and 👩‍🚀\r\n"


@pytest.mark.parametrize("value", ["one\ntwo\0", "one\n\ud800"])
def test_characters_that_no_database_stores_are_refused_with_their_line(value):
    with pytest.raises(Invalid) as caught:
        check_text("message", value)
    assert caught.value.fields["message"].startswith("line 2 ")


def test_other_types_are_refused():
    with pytest.raises(Invalid, match="must be text, not int"):
        check_text("message", 3)


def test_size_counts_bytes_not_characters():
    with pytest.raises(TooLarge) as caught:
        check_text("message", "ä" * 6, limit=10)
    assert caught.value.facts == {"field": "message", "limit": 10}
