"""The token budget: what uses how much of which limit, and what is cut first."""

import re
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from frontend.editor.token_budget import build_token_budget


def part(name: str, tokens: int, from_inputs: int = 0, priority: int = 0) -> dict[str, Any]:
    return {
        "name": name,
        "role": "user",
        "token_count": tokens,
        "input_tokens": from_inputs,
        "truncation_priority": priority,
    }


def rendered(*parts: dict[str, Any], markup: int = 0, limit: int | None = None, reserve: int = 0) -> dict[str, Any]:
    return {
        "parts": list(parts),
        "token_count": sum(each["token_count"] for each in parts) + markup,
        "token_limit": limit,
        "reserve": reserve,
        "tokenizer": {"name": "o200k_base", "revision": "446a9538cb6c", "exact": True},
        "model": "gpt-4o",
    }


def test_the_limit_leaves_out_what_is_kept_for_the_reply():
    budget = build_token_budget(rendered(part("a", 100), limit=1000, reserve=200))
    assert (budget.used, budget.limit, budget.room, budget.over) == (100, 800, 700, 0)
    assert budget.limit_at == 80


def test_something_that_is_not_an_input_is_the_templates_own():
    assert build_token_budget(rendered(part("a", 100, from_inputs=40), part("b", 10), markup=7)).own == 77


def test_a_prompt_above_the_limit_says_by_how_much():
    budget = build_token_budget(rendered(part("a", 900), limit=1000, reserve=200))
    assert (budget.room, budget.over) == (-100, 100)


def test_without_a_limit_there_is_no_line_and_no_reserve():
    budget = build_token_budget(rendered(part("a", 100)))
    assert (budget.limit, budget.limit_at, budget.over) == (None, None, 0)
    assert budget.stretches[-1].start + budget.stretches[-1].width == pytest.approx(100)


def test_template_text_and_inputs_are_distinguished():
    budget = build_token_budget(rendered(part("a", 100, from_inputs=40)))
    assert [(each.kind, each.width) for each in budget.rows[0].stretches] == [("template", 60), ("input", 40)]


def test_parts_share_the_scale_of_the_largest():
    budget = build_token_budget(rendered(part("small", 50), part("large", 200)))
    assert [row.stretches[0].width for row in budget.rows] == [25, 100]


def test_the_highest_priority_goes_first_then_the_order_of_the_template():
    budget = build_token_budget(
        rendered(part("a", 1), part("b", 1, priority=2), part("c", 1, priority=5), part("d", 1, priority=2))
    )
    assert [row.rule for row in budget.rows] == ["never cut", "cut 2nd", "cut 1st", "cut 3rd"]


def test_chat_markup_is_a_row_of_its_own():
    budget = build_token_budget(rendered(part("a", 10), markup=7))
    assert (budget.rows[-1].name, budget.rows[-1].tokens, budget.rows[-1].rule) == ("chat markup", 7, "fixed")


def test_each_part_is_compared_with_the_one_of_its_name():
    before = rendered(part("a", 10), part("b", 20), markup=3)
    budget = build_token_budget(rendered(part("b", 25), part("new", 4), markup=3), before, "production v2")
    assert [(row.name, row.change) for row in budget.rows] == [("b", 5), ("new", 4), ("chat markup", 0)]
    assert (budget.change, budget.against) == (-1, "production v2")


def test_parts_of_one_name_are_compared_in_their_turn():
    budget = build_token_budget(rendered(part("a", 1), part("a", 5)), rendered(part("a", 1), part("a", 2)), "v1")
    assert [row.change for row in budget.rows] == [0, 3]


def test_a_very_long_prompt_ends_in_one_row_for_the_rest():
    budget = build_token_budget(rendered(*[part(f"turn {n}", 2, 1) for n in range(500)]))
    assert len(budget.rows) == 121
    assert (budget.rows[-1].name, budget.rows[-1].tokens) == ("380 more parts", 760)


def test_a_prompt_of_no_parts_has_an_empty_budget():
    budget = build_token_budget(rendered())
    assert (budget.used, budget.rows, budget.stretches) == (0, (), ())


def test_the_bars_have_points_for_decimals_in_every_language():
    budget = build_token_budget(
        rendered(part("a", 100, from_inputs=33), part("b", 77, from_inputs=7), limit=999, reserve=10)
    )
    with translation.override("de"):
        page = render_to_string("frontend/editor/_budget.html", {"budget": budget})
    shares = re.findall(r' (?:x|width)="([^"]*)%"', page)
    assert any("." in share for share in shares)
    assert not [share for share in shares if "," in share]
