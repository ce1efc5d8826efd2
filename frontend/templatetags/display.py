"""Template tags and filters of every page: icons, times, digests, counts."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, tzinfo
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
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from frontend.changes.check_summaries import CheckSummary
from frontend.web import wording
from frontend.web.field_labels import capitalise_sentence, describe_refusal
from frontend.web.findings import translate_finding
from frontend.web.remark_html import render_remark
from frontend.web.script_texts import compute_script_texts_version
from frontend.web.stylesheets import build_bundle_url
from registry.core.names import LATEST
from registry.serving.fetcher import get_fetcher

register = template.Library()
register.simple_tag(wording.run_state_word)
register.filter("state_name", wording.translate_state)
register.filter("sentence", wording.format_finding)
register.filter("thousands", wording.format_thousands)
register.filter("signed", wording.format_signed)
register.filter("full_sentence", wording.format_sentence)
register.filter("time_needed", wording.format_time_needed)
register.filter("check_name", wording.check_word)
register.filter("finding", stringfilter(translate_finding))
register.filter("capital", stringfilter(capitalise_sentence))


@register.filter
def translate_refusal(error: object) -> str:
    """A refusal in the language of the page, with the page's labels of its fields."""
    return translate_finding(describe_refusal(error))


@register.simple_tag(takes_context=True)
def remark(context: Mapping[str, Any], text: str) -> SafeString:
    """A conversation comment as HTML. The page's `mention_names` are the names that `@name` can refer to."""
    return render_remark(text, context.get("mention_names", ()))


@cache
def _is_built(name: str) -> bool:
    return finders.find(name) is not None or staticfiles_storage.exists(name)


def is_built(name: str) -> bool:
    """True if the npm build created this file; the pages work without any of them."""
    if settings.DEBUG:
        _is_built.cache_clear()
    return _is_built(f"frontend/dist/{name}")


@register.simple_tag
def asset_url(name: str) -> str:
    """The URL of a file from the npm build, or an empty string if nothing was built."""
    return static(f"frontend/dist/{name}") if is_built(name) else ""


@register.simple_block_tag
def stylesheets(content: str) -> SafeString | str:
    """The link to one bundle of the stylesheets whose names are the content, in their order; nothing without names.

    A name is the path below `static/frontend/css` without its ending.
    """
    names = tuple(content.split())
    return format_html('<link rel="stylesheet" href="{}">', build_bundle_url(names)) if names else ""


@register.simple_tag
def script_texts() -> str:
    """The URL of the scripts' texts in the language of the page; empty in English, the source language."""
    language = get_language() or settings.LANGUAGE_CODE
    if language == settings.LANGUAGE_CODE:
        return ""
    return f"{reverse('script-texts', args=[language])}?{urlencode({'v': compute_script_texts_version(language)})}"


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
    language = get_language()
    local, head = _draw_moment(moment, timezone.get_current_timezone(), language)
    since = wording.format_time_since_in(language, local, timezone.now().astimezone(local.tzinfo))
    return SafeString(f"{head}{escape(since)}</time>")


@lru_cache(maxsize=10_000)
def _draw_moment(moment: datetime, zone: tzinfo, language: str | None) -> tuple[datetime, SafeString]:
    """The moment in this time zone, and the start tag of its <time>.

    Formatted by hand and cached, because some lists have hundreds and Django's formats take ten times as long.
    """
    local = moment.astimezone(zone)
    day = f"{wording.format_day_number(local.day, language)} {wording.format_month(local.month, language)}"
    iso = moment.astimezone(UTC).isoformat(timespec="seconds")
    return local, format_html('<time datetime="{}" title="{}">', iso, f"{day} {local:%Y, %H:%M:%S %Z}")


@register.filter
def passed_checks(summary: CheckSummary) -> SafeString:
    """How many checks passed: `3 of 4`."""
    return _draw_passed_checks(summary.passed, summary.total, get_language())


@lru_cache(maxsize=1_000)
def _draw_passed_checks(passed: int, total: int, language: str | None) -> SafeString:
    """language: that of the page. Cached, because some lists have hundreds."""
    text = gettext('%(passed)s of %(total)s<span class="visually-hidden"> checks passed</span>')
    return SafeString(text % {"passed": passed, "total": total})


@register.filter
def lasting(moment: datetime) -> SafeString:
    """How long something has lasted, as a <time>: `for 3 h`, or `since 3 May` for longer times."""
    duration = wording.format_time_lasted(timezone.localtime(moment), timezone.localtime())
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
        '<span class="pill{}"{}>{}{}<span class="visually-hidden">{}</span></span>', kind, shown_title, lock, name, word
    )


@register.simple_block_tag
def capture(content: str) -> str:
    """Capture the rendered content in a variable, for a translated sentence, which can't contain tags itself."""
    return content


@register.inclusion_tag("frontend/web/_live.html")
def live_status(*topics: str) -> dict[str, Any]:
    """The line in which the page's script reports what others do meanwhile. topics: `home`, `template=<name>`,
    `change=<n>`, `releases=<namespace>`; one string may contain several.
    """
    head = get_fetcher().follower.head  # None if nothing follows the journal yet: the script then starts from now
    return {"topics": " ".join(topics), "after": head[0] if head else ""}


@register.filter
def embolden(text: str, name: str) -> SafeString:
    """The text, escaped, with the first occurrence of the name in bold."""
    before, match, after = text.partition(name) if name else (text, "", "")
    return format_html("{}<b>{}</b>{}", before, match, after) if match else format_html("{}", text)


@register.filter
def get_item(mapping: Mapping[Any, Any] | None, key: Any) -> Any:
    """The value of a mapping for a key, or None."""
    return mapping.get(key) if mapping else None


@register.simple_tag
def query(pairs: Iterable[tuple[str, object]] = (), **first: object) -> str:
    """A query string without its question mark: the named values, then the pairs."""
    return urlencode([*first.items(), *pairs], quote_via=quote, safe="/")
