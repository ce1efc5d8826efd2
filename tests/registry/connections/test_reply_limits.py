"""The limit of a model's reply: which setting counts, and the default."""

import pytest

from registry.connections.reply_limits import REPLY_LIMITS, find_longest_reply


@pytest.mark.parametrize("name", REPLY_LIMITS)
def test_each_name_of_the_limit_counts(name):
    assert find_longest_reply({name: 77}, 500) == 77


@pytest.mark.parametrize(
    ("settings", "reserve", "longest"),
    [
        ({"max_tokens": 5, "max_completion_tokens": 6}, 7, 6),
        ({"max_tokens": 0}, 7, 7),
        ({"max_tokens": "many"}, 7, 7),
        (None, 7, 7),
        ({}, 0, 4096),
        ({}, None, 4096),
        ({"max_tokens": 2**40}, 0, 2**31 - 1),
        ({}, 2**40, 2**31 - 1),
    ],
)
def test_settings_come_before_the_documents_reserve(settings, reserve, longest):
    assert find_longest_reply(settings, reserve) == longest


def test_a_caller_names_what_holds_by_default():
    assert find_longest_reply({}, 0, otherwise=800) == 800
