"""Template tags and filters of every page: icons, times, digests, counts."""

import html
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any
from urllib.parse import quote, urlencode

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template import Context, Engine
from django.template.defaultfilters import stringfilter
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from frontend.diff.part_diffs import split_at_values
from frontend.diff.text import Entry, Line, Value, shorten_diff
from frontend.web import wording
from frontend.web.field_labels import capitalise_sentence, describe_refusal
from frontend.web.findings import translate_finding
from frontend.web.remark_html import render_remark
from frontend.web.script_texts import script_texts_version
from registry.core.names import LATEST
from registry.serving.fetcher import fetcher

register = template.Library()
register.simple_tag(wording.run_state_word)
register.filter("state_name", wording.state_word)
register.filter("sentence", wording.sentence)
register.filter("thousands", wording.thousands)
register.filter("signed", wording.signed)
register.filter("full_sentence", wording.full_sentence)
register.filter("time_needed", wording.time_needed)
register.filter("check_name", wording.check_word)
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
    """A decorative icon: the word next to it carries the meaning."""
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
    exact = f"{local.day} {wording.month_name(local.month, language)} {local:%Y, %H:%M:%S %Z}"
    iso = moment.astimezone(UTC).isoformat(timespec="seconds")
    since = wording.time_since_in(language, local, now)
    return format_html('<time datetime="{}" title="{}">{}</time>', iso, exact, since)


@register.filter
def lasting(moment: datetime) -> SafeString:
    """How long something has lasted, as a <time>: `for 3 h`, or `since 3 May` for longer times."""
    duration = wording.time_lasted(timezone.localtime(moment), timezone.localtime())
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
def strong(text: str, name: str) -> SafeString:
    """The text, escaped, with the first occurrence of the name in bold."""
    before, found, after = text.partition(name) if name else (text, "", "")
    return format_html("{}<b>{}</b>{}", before, found, after) if found else format_html("{}", text)


@register.filter
def at(found: Mapping[Any, Any] | None, key: Any) -> Any:
    """The value of a mapping for a key, or None."""
    return found.get(key) if found else None


@register.simple_tag
def query(pairs: Iterable[tuple[str, object]] = (), **first: object) -> str:
    """A query string without its question mark: the named values, then the pairs."""
    return urlencode([*first.items(), *pairs], quote_via=quote, safe="/")


@register.simple_tag
def diff_words(line: Line) -> SafeString:
    """The words of a diff line, with changed words and values of inputs and fragments marked.

    Written in Python, because white space in a template would be visible here.
    """
    mark = {"added": "<ins>{}</ins>", "removed": "<del>{}</del>"}.get(line.kind, "{}")
    words = []
    runs = split_at_values(line) if line.values else ((word.text, word.changed, None) for word in line.words)
    for text, changed, value in runs:
        word = _value_words(text, value) if value else _escape(text)
        words.append(format_html(mark, word) if changed else word)
    return SafeString("".join(words))


def _value_words(text: str, value: Value) -> SafeString:
    """A run of a value, with its source as its title; the fragment's name precedes its first line."""
    where = gettext("{source}, line {line}").format(source=value.source, line=value.line) if value.line else ""
    title, text = _escape(where or value.source), _escape(text)
    if value.kind == "input":
        return format_html('<span class="value" title="{}">{}</span>', title, text)
    chip = format_html('<span class="chip fragment-chip">{}</span> ', value.source) if value.is_first else ""
    return format_html('{}<span class="from-fragment" title="{}">{}</span>', chip, title, text)


@register.simple_tag(takes_context=True)
def diff_lines(
    context: Context,
    lines: Iterable[Entry],
    spots: Mapping[int, Any] | None = None,
    link: str = "",
    part: int | None = None,
    both: bool = False,
) -> SafeString:
    """The lines of a diff, up to a page's limit, each with its threads from `spots` below it.

    link: the URL, without its part and line, of the form of a comment; both: number both sides. Folds, gaps and threads
    are templates; lines are written in Python, because a diff has hundreds.
    """
    write_line = _line_writer(f"{link}&part={part or 0}&line=" if link else "", both, spots or {})
    shared = {"spots": spots, "link": link, "part_index": part, "both": both}
    pieces = []
    for entry in shorten_diff(lines, spots or ()):
        if isinstance(entry, Line):
            pieces.append(write_line(entry))
            if spots and entry.new and entry.new in spots:
                pieces.append(_render_inside(context, "frontend/diff/_diff_spot.html", {"spot": spots[entry.new]}))
        else:
            pieces.append(_render_inside(context, "frontend/diff/_diff_fold.html", {**shared, "entry": entry}))
    return SafeString("".join(pieces))


def _line_writer(address: str, both: bool, spots: Mapping[int, Any]) -> Callable[[Line], SafeString]:
    """A function that writes one line of a diff; what its lines have in common is made once."""
    column, address = SafeString(" diff-number-new" if both else ""), _escape(address)
    title = _escape(gettext("Comment on line {line}; with Shift, on all lines up to it"))
    hint = _escape(gettext(", comment on this line"))
    words = {"added": ("+", gettext("added:")), "removed": ("\N{MINUS SIGN}", gettext("removed:"))}
    sign_html = '<span aria-hidden="true">{}</span><span class="unseen">{} </span>'
    signs = {kind: format_html(sign_html, *pair) for kind, pair in words.items()}

    def write_number(line: Line) -> SafeString:
        if not address or not line.new:
            shown = line.new if both else line.number
            return format_html('<span class="diff-number{}">{}</span>', column, _escape(str(shown or "")))
        return format_html(
            '<a class="diff-number{0}" href="{1}#say" hx-get="{1}" hx-target="#diff" hx-swap="outerHTML" title="{2}">'
            '{3}<span class="unseen">{4}</span></a>',
            *(column, SafeString(f"{address}{line.new}"), SafeString(title.format(line=line.new))),
            *(SafeString(str(line.new)), hint),
        )

    def write_line(line: Line) -> SafeString:
        spot = spots.get(line.new) if line.new else None
        return format_html(
            '<div class="diff-line diff-{}{}">{}{}<span class="diff-sign">{}</span>'
            '<span class="diff-text" dir="auto">{}</span></div>\n',
            _escape(line.kind),
            SafeString(" is-meant" if spot and spot.meant else ""),
            format_html('<span class="diff-number">{}</span>', _escape(str(line.old or ""))) if both else SafeString(),
            write_number(line),
            signs.get(line.kind, SafeString()),
            diff_words(line),
        )

    return write_line


def _escape(text: str) -> SafeString:
    """Escape a text like `format_html`, whose own way takes ten times as long."""
    return SafeString(html.escape(text))


def _render_inside(context: Context, name: str, values: Mapping[str, Any]) -> SafeString:
    """A template with further values, like `include` inside a template."""
    with context.push(**values):
        return Engine.get_default().get_template(name).render(context)


@register.filter
def touches(lines: Iterable[Any], spots: Mapping[int, Any] | None) -> bool:
    """Whether one of these diff lines has a thread, so that a fold of them has to be open.

    A page without threads has no spots, which a template passes as an empty string.
    """
    return any(line.new in spots for line in lines) if spots else False
