"""Template tags and filters of every page: icons, times, digests, counts."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any
from urllib.parse import quote, urlencode

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template.defaultfilters import stringfilter
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, pgettext

from frontend.diff.part_diffs import split_at_values
from frontend.diff.text import Line, Value, shorten_diff
from frontend.web.field_labels import capitalise_sentence, describe_refusal
from frontend.web.findings import translate_finding
from frontend.web.remark_html import render_remark
from frontend.web.script_texts import script_texts_version
from frontend.web.wording import check_word, month_name, run_state_word, time_lasted, time_needed, time_since_in
from registry.core.names import LATEST
from registry.evaluations.metric_titles import name_gates
from registry.serving.fetcher import fetcher

register = template.Library()
register.simple_tag(run_state_word)
register.filter("time_needed", time_needed)
register.filter("check_name", check_word)
register.filter("finding", stringfilter(translate_finding))
register.filter("capital", stringfilter(capitalise_sentence))


@register.filter
def refused(error: object) -> str:
    """A refusal in the language of the page, with the page's labels of its fields."""
    return translate_finding(describe_refusal(error))


@register.simple_tag(takes_context=True)
def remark(context: Mapping[str, Any], text: str) -> SafeString:
    """A conversation comment as HTML. The page's `mention_names` are the names that `@name` can refer to."""
    return render_remark(text, context.get("mention_names", ()))


FIRST_WORD = re.compile(r"[^\s,;:.]+")


@cache
def _exists(name: str) -> bool:
    return finders.find(name) is not None or staticfiles_storage.exists(name)


def is_built(name: str) -> bool:
    """True if the npm build created this file; the pages work without any of them."""
    if settings.DEBUG:
        _exists.cache_clear()
    return _exists(f"frontend/dist/{name}")


@register.simple_tag
def built(name: str) -> str:
    """The URL of a file from the npm build, or an empty string if nothing was built."""
    return static(f"frontend/dist/{name}") if is_built(name) else ""


@register.simple_tag
def script_texts() -> str:
    """The URL of the scripts' texts in the language of the page; empty in English, the source language."""
    language = get_language() or settings.LANGUAGE_CODE
    if language == settings.LANGUAGE_CODE:
        return ""
    return f"{reverse('script-texts', args=[language])}?{urlencode({'v': script_texts_version(language)})}"


@register.simple_tag
def icon(name: str, extra: str = "") -> SafeString | str:
    """A decorative icon: the word beside it carries the meaning."""
    return _draw_icon(name, extra) if is_built("icons.svg") else ""


@lru_cache(maxsize=1_000)
def _draw_icon(name: str, extra: str) -> SafeString:
    return format_html(
        '<svg class="icon {}" width="16" height="16" aria-hidden="true"><use href="{}#{}"/></svg>',
        extra,
        static("frontend/dist/icons.svg"),
        name,
    )


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    """How long ago, as a <time> with the exact time in its title, in the reader's time zone."""
    if moment is None:
        return gettext("never")
    zone, language = timezone.get_current_timezone(), get_language()
    local, now = moment.astimezone(zone), timezone.now().astimezone(zone)
    # Formatted by hand, because some lists have hundreds and Django's formats take ten times as long.
    exact = f"{local.day} {month_name(local.month, language)} {local:%Y, %H:%M:%S %Z}"
    iso = moment.astimezone(UTC).isoformat(timespec="seconds")
    since = time_since_in(language, local, now)
    return format_html('<time datetime="{}" title="{}">{}</time>', iso, exact, since)


@register.filter
def lasting(moment: datetime) -> SafeString:
    """How long something has lasted, as a <time>: `for 3 h`, or `since 3 May` for longer times."""
    duration = time_lasted(timezone.localtime(moment), timezone.localtime())
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="seconds"), duration)


@register.inclusion_tag("frontend/web/_digest.html")
def digest(value: str, prefix: bool = False, copy: bool = True, voided: bool = False) -> dict[str, Any]:
    """A digest as a chip: eight hex digits in two groups, with the full digest in its title and for copying."""
    digits = value.removeprefix("sha256:")
    return {
        "value": value,
        "first": digits[:4],
        "second": digits[4:8],
        "prefix": prefix,
        "copy": copy,
        "voided": voided,
    }


@register.simple_tag
def pill(name: str, protected: bool = False, title: str = "") -> SafeString:
    """A label: protected ones are filled and have a lock, `latest` is dashed; always with its name.

    Written in Python without a template, and cached, because some lists have hundreds.
    """
    return _draw_pill(name, protected, title, icon("lock") if protected else "", get_language())


@lru_cache(maxsize=1_000)
def _draw_pill(name: str, protected: bool, title: str, lock: str, language: str | None) -> SafeString:
    """language: of the request, because the word for protected labels is translated."""
    kind = " pill-latest" if name == LATEST else " pill-protected" if protected else ""
    shown_title = format_html(' title="{}"', title) if title else ""
    if not protected:
        return format_html('<span class="pill{}"{}>{}</span>', kind, shown_title, name)
    word = gettext(", protected")
    return format_html(
        '<span class="pill{}"{}>{}{}<span class="unseen">{}</span></span>', kind, shown_title, lock, name, word
    )


@register.simple_block_tag
def captured(content: str) -> str:
    """Capture the rendered content in a variable, for a translated sentence, which can't contain tags itself."""
    return content


@register.inclusion_tag("frontend/web/_live.html")
def live_status(*topics: str) -> dict[str, Any]:
    """The line in which the page's script reports what others do meanwhile. topics: `home`, `template=<name>`,
    `change=<n>`, `releases=<namespace>`; one string may contain several.
    """
    head = fetcher().follower.head  # None if nothing follows the journal yet: the script then starts from now
    return {"topics": " ".join(topics), "after": head[0] if head else ""}


@register.filter
def sentence(text: str, names: str | Collection[str] = ()) -> SafeString:
    """A finding as a sentence in the language of the page: capital, full stop, and backticks converted to <code>. One
    of these names at its beginning keeps its case.
    """
    text = translate_finding(text).strip() if get_language() != settings.LANGUAGE_CODE else text.strip()
    first = FIRST_WORD.match(text)
    kept = (names,) if isinstance(names, str) else tuple(names)
    if first and first[0].islower() and first[0].isalpha() and not text.startswith(tuple(filter(None, kept))):
        text = text[:1].upper() + text[1:]
    if text and text[-1] not in ".!?:…":
        text += "."
    return _mark_code(text)


@register.filter
def full_sentence(text: str) -> SafeString:
    """A text that is already a sentence, such as a blocker, in the language of the page, with backticks converted to
    <code>. It may begin with a name, whose case is kept.
    """
    return _mark_code(translate_finding(text).strip() if get_language() != settings.LANGUAGE_CODE else text.strip())


def _mark_code(text: str) -> SafeString:
    pieces = (name_gates(text) if " - " in text or " >= " in text else text).split("`")
    if len(pieces) % 2 == 0:  # an unpaired backtick is a literal character
        return format_html("{}", text)
    shown = ((format_html("<code>{}</code>", piece) if place % 2 else piece,) for place, piece in enumerate(pieces))
    return format_html_join("", "{}", shown)


@register.filter
def state_name(state: str) -> str:
    """The display name of a state of a change, a release, a rollout or a check."""
    return {
        "open": pgettext("state of a change", "open"),
        "approved": gettext("approved"),
        "published": gettext("published"),
        "withdrawn": gettext("withdrawn"),
        "running": gettext("running"),
        "paused": gettext("paused"),
        "stopped": gettext("stopped"),
        "finished": gettext("finished"),
        "passed": gettext("passed"),
        "failed": gettext("failed"),
        "not finished": gettext("not finished"),
    }.get(state, state)


@register.filter
def thousands(number: int | None) -> str:
    """1234 -> 1,234 in English, 1.234 in German; an empty string for None."""
    return "" if number is None else number_format(number, force_grouping=True)


@register.filter
def strong(sentence: str, name: str) -> SafeString:
    """The sentence, escaped, with the first occurrence of the name in bold."""
    before, found, after = sentence.partition(name) if name else (sentence, "", "")
    return format_html("{}<b>{}</b>{}", before, found, after) if found else format_html("{}", sentence)


@register.filter
def signed(number: int) -> str:
    """A difference with a typographic sign; no sign for zero."""
    sign = "+" if number > 0 else "\N{MINUS SIGN}" if number < 0 else ""
    return sign + thousands(abs(number))


@register.filter
def at(found: Mapping[Any, Any] | None, key: Any) -> Any:
    """The value of a mapping for a key, or None."""
    return found.get(key) if found else None


@register.filter
def is_meant(spots: Mapping[int, Any] | None, line: int | None) -> bool:
    """Whether the line is one of those that an open form refers to."""
    spot = spots.get(line) if spots and line else None
    return bool(spot and spot.meant)


@register.filter
def shortened(lines: Iterable[Any], spots: Mapping[int, Any] | None = None) -> list[Any]:
    """The diff lines that a page shows: up to its limit, and every line with threads."""
    return shorten_diff(lines, spots or ())


@register.simple_tag
def query(pairs: Iterable[tuple[str, object]] = (), **first: object) -> str:
    """A query string without its question mark: the named values, then the pairs."""
    return urlencode([*first.items(), *pairs], quote_via=quote, safe="/")


@register.simple_tag
def diff_words(line: Line) -> SafeString:
    """The words of a diff line, with changed words and values of inputs and fragments marked.

    Written in Python, because white space in a template would be visible here.
    """
    tag = {"added": "ins", "removed": "del"}.get(line.kind)
    words = []
    runs = split_at_values(line) if line.values else ((word.text, word.changed, None) for word in line.words)
    for text, changed, value in runs:
        word = _value_words(text, value) if value else text
        words.append((format_html("<{0}>{1}</{0}>", tag, word) if tag and changed else word,))
    return format_html_join("", "{}", words)


def _value_words(text: str, value: Value) -> SafeString:
    """A run of a value, with its source as its title; the fragment's name precedes its first line."""
    where = gettext("{source}, line {line}").format(source=value.source, line=value.line) if value.line else ""
    title = where or value.source
    if value.kind == "input":
        return format_html('<span class="value" title="{}">{}</span>', title, text)
    chip = format_html('<span class="chip fragment-chip">{}</span> ', value.source) if value.is_first else ""
    return format_html('{}<span class="from-fragment" title="{}">{}</span>', chip, title, text)


@register.filter
def touches(lines: Iterable[Any], spots: Mapping[int, Any] | None) -> bool:
    """Whether one of these diff lines has a thread, so that a fold of them has to be open.

    A page without threads has no spots, which a template passes as an empty string.
    """
    return any(line.new in spots for line in lines) if spots else False
