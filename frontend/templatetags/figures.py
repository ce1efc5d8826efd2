"""Template filters of figures: short counts, shares, differences, counts by name."""

from collections.abc import Mapping

from django import template
from django.utils.formats import number_format

from frontend.evaluations.score_table import format_score
from frontend.web.wording import format_thousands
from registry.usage import queries as usage_queries

register = template.Library()


@register.filter
def short(number: int) -> str:
    """A number of fetches with three digits: 6,208, 54.1 k, 1.24 M; put the exact one into the title."""
    figures, space, unit = usage_queries.shorten_count(number).partition(" ")
    return number_format(figures.replace(",", ""), force_grouping=True) + space + unit


@register.filter
def percent(share: float) -> str:
    """`84 %`, and `2.5 %` below ten: a share from 0 to 1 as a percentage."""
    number = share * 100
    digits = 0 if number == 0 or number >= 9.95 else 1
    return f"{number_format(f'{number:.{digits}f}', digits)}\N{NO-BREAK SPACE}%"


@register.filter
def score(value: float, beside: float | str | None = None) -> str:
    """A score as formatted on every page: `0.97`, with more decimals if the figure next to it would look equal.

    A template passes an empty string where there is no figure next to it.
    """
    return format_score(value, None if isinstance(beside, str) else beside)


@register.filter
def signed_figure(number: float) -> str:
    """A difference of two figures with its sign and two decimals: `+0.04`, and 0.00 without a sign."""
    rounded = round(number, 2)
    sign = "+" if rounded > 0 else "\N{MINUS SIGN}" if rounded < 0 else ""
    return sign + number_format(f"{abs(rounded):.2f}", 2)


@register.filter
def counts(numbers: Mapping[str, int]) -> str:
    """`{"E1": 1200, "E2": 3}` -> `E1: 1,200, E2: 3`."""
    return ", ".join(f"{name}: {format_thousands(number)}" for name, number in numbers.items())
