"""Advice on what blocks a change: the page that it names becomes a link."""

import pytest

from frontend.templatetags.help_links import link_addresses
from frontend.web.wording import format_finding

LINK = '<a href="/runs/9/score">Score the replies of run 9</a>'


@pytest.mark.parametrize(
    ("advice", "expected_text"),
    [
        ("Score the replies of run 9: /runs/9/score.", f"{LINK}."),
        ("Ask <b>. Score the replies of run 9: /runs/9/score. Approve it.", f"Ask &lt;b&gt;. {LINK}. Approve it."),
        ("Score the replies of run 9: /runs/9/score", LINK),
        ("Read the change: /changes/9.", "Read the change: /changes/9."),
        ("Run it again: run 9.", "Run it again: run 9."),
        ("Evil: //elsewhere.example/runs/9/score.", "Evil: //elsewhere.example/runs/9/score."),
        ("", ""),
    ],
)
def test_an_address_that_an_advice_ends_with_is_its_link(advice, expected_text):
    assert link_addresses(advice) == expected_text


def test_a_sentence_with_code_keeps_its_code():
    shown = link_addresses(format_finding("plan `a<b>` has 0 of 2 scores. Score the replies of run 9: /runs/9/score"))
    assert shown == f"Plan <code>a&lt;b&gt;</code> has 0 of 2 scores. {LINK}."
