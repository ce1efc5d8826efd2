"""Template tags for texts in a row of an evaluation, without surrounding white space."""

import math
from collections.abc import Iterable
from decimal import Decimal

from django import template
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from frontend.evaluations.improvement_views import IMPROVEMENT_STYLES
from frontend.evaluations.row_comparison import Excerpt
from frontend.evaluations.run_titles import write_version_title
from frontend.web.findings import translate_finding
from promptuary.renderer.syntax.sequence_diff import Word
from registry.evaluations.live_models import LiveFailure
from registry.evaluations.metric_titles import describe_finding, describe_gate, name_gates
from registry.improvements.models import Improvement

register = template.Library()
register.filter("version_title", write_version_title)
register.filter(describe_gate)
register.filter(name_gates)


@register.filter
def describe_failure(failure: LiveFailure) -> str:
    """The failed thresholds in words, without a full stop."""
    return "; ".join(describe_finding(finding, translate_finding) for finding in failure.findings)


@register.filter
def figure(value: float | None, unit: str = "") -> str:
    """A line's figure: a score with up to four decimals, a value with a unit with three significant digits."""
    if value is None:
        return ""
    digits = 4 if not unit else max(0, min(6, 2 - math.floor(math.log10(abs(value))))) if value else 0
    rounded = Decimal(f"{value:.{digits}f}").normalize()
    return number_format(f"{rounded:f}")


@register.simple_tag
def mark_words(words: Iterable[Word], side: str = "added") -> SafeString:
    """Words of one side; changed ones as `<del>` or `<ins>`, with a word for screen readers."""
    tag = "del" if side == "removed" else "ins"
    return format_html_join("", "{}", ((_mark_word(word, tag, side),) for word in words))


@register.simple_tag(name="excerpt")
def format_excerpt(excerpt: Excerpt) -> SafeString | str:
    """A text, followed by how much of it is omitted."""
    if not excerpt.more:
        return excerpt.text
    more = number_format(excerpt.more, force_grouping=True)
    title = gettext("{count} more characters").format(count=more)
    words = gettext("{count} more").format(count=more)
    return format_html('{} <span class="chip" title="{}">{}</span>', excerpt.text, title, words)


def _mark_word(word: Word, tag: str, side: str) -> SafeString | str:
    if not word.changed:
        return word.text
    spoken_word = gettext("removed:") if side == "removed" else gettext("added:")
    return format_html("<{}><span class='visually-hidden'>{} </span>{}</{}>", tag, spoken_word, word.text, tag)


@register.filter
def improvement_word(improvement: Improvement) -> str:
    """The stage of an improvement as a word."""
    return str(IMPROVEMENT_STYLES[improvement.stage][0])
