"""Sentences composed of other texts: the full stop at the end."""

import pytest

from registry.core.sentences import end_sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("It is away", "It is away."), ("It is away.", "It is away."), ("Is it?", "Is it?"), ("No!", "No!"), ("", ".")],
)
def test_a_sentence_ends_once(text, sentence):
    assert end_sentence(text) == sentence
