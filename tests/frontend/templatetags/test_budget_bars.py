"""The segments of a token budget's bars."""

from django.utils import translation

from frontend.editor.token_budget import BarSegment
from frontend.templatetags.budget_bars import bar_segments

SEGMENTS = [BarSegment("template", 0, 12.5), BarSegment("input", 12.5, 3.125)]


def test_a_segment_of_inputs_is_hatched_and_numbers_have_a_point_in_every_language():
    expected = (
        '<rect class="bar-template" x="0%" y="0" width="12.5%" height="8"/>'
        '<rect fill="url(#from-inputs)" x="12.5%" y="0" width="3.125%" height="8"/>'
    )
    with translation.override("de"):
        assert bar_segments(SEGMENTS) == expected


def test_a_bar_with_its_own_patterns_has_gaps_between_segments():
    assert bar_segments(SEGMENTS[1:], "sample-", 3, 12, 1) == (
        '<rect fill="url(#sample-from-inputs)" x="12.5%" y="3" width="3.125%" height="12"/>'
        '<rect class="bar-gap" x="12.5%" y="3" width="1" height="12"/>'
    )


def test_a_prompt_without_parts_has_no_segments():
    assert bar_segments([]) == ""
