"""Times, numbers, places, topics and findings in words shared by several pages, in the reader's language."""

import re
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from functools import lru_cache

from django.conf import settings
from django.utils.dates import MONTHS, MONTHS_3, MONTHS_AP
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, gettext_lazy, ngettext, pgettext_lazy

from frontend.web.findings import translate_finding
from registry.evaluations.metric_titles import name_gates

__all__ = [
    "TOPICS_IN_WORDS",
    "check_word",
    "format_day_number",
    "format_finding",
    "format_line_range",
    "format_month",
    "format_sentence",
    "format_signed",
    "format_thousands",
    "format_time_lasted",
    "format_time_needed",
    "format_time_since",
    "format_time_since_in",
    "run_state_word",
    "translate_state",
]

# Topics of a template that can be followed, by `registry.notifications.models.Watch.TOPICS`.
TOPICS_IN_WORDS: Mapping[str, str | Promise] = {
    "published": gettext_lazy("what is published, rolled back or moved"),
    "proposed": gettext_lazy("changes that are proposed"),
    "comments": gettext_lazy("reviews and comments"),
    "saved": gettext_lazy("versions that are saved"),
}

_RUN_STATES = {
    "queued": pgettext_lazy("a run", "queued"),
    "running": pgettext_lazy("a run", "running"),
    "done": pgettext_lazy("a run", "done"),
    "failed": pgettext_lazy("a run", "failed"),
    "cancelled": pgettext_lazy("a run", "cancelled"),
}

_STATES = {
    "open": pgettext_lazy("state of a change", "open"),
    "approved": gettext_lazy("approved"),
    "published": gettext_lazy("published"),
    "withdrawn": gettext_lazy("withdrawn"),
    "running": gettext_lazy("running"),
    "paused": gettext_lazy("paused"),
    "stopped": gettext_lazy("stopped"),
    "finished": gettext_lazy("finished"),
    "passed": gettext_lazy("passed"),
    "failed": gettext_lazy("failed"),
    "not finished": gettext_lazy("not finished"),
}

_CHECKS = {
    "problems": pgettext_lazy("check", "problems"),
    "samples": pgettext_lazy("check", "samples"),
    "budget": pgettext_lazy("check", "budget"),
    "contract": pgettext_lazy("check", "contract"),
    "dependants": pgettext_lazy("check", "dependants"),
    "evaluation": pgettext_lazy("check", "evaluation"),
}

_FIRST_WORD = re.compile(r"[^\s,;:.]+")

# Up to eight weeks, times are shown as a distance; after that the date is more useful.
RELATIVE = timedelta(weeks=8)
# (upper bound, step, unit)
STEPS = (
    (timedelta(hours=1), timedelta(minutes=1), "minutes"),
    (timedelta(days=1), timedelta(hours=1), "hours"),
    (timedelta(days=14), timedelta(days=1), "days"),
    (RELATIVE, timedelta(weeks=1), "weeks"),
)


def format_time_since(moment: datetime, now: datetime) -> str:
    """The time between in words: `2 h ago`, `yesterday`, `3 weeks ago`, or the date beyond eight weeks."""
    return format_time_since_in(get_language(), moment, now)


def format_time_since_in(language: str | None, moment: datetime, now: datetime) -> str:
    """What `format_time_since` returns, in a language that the caller has already found."""
    unit, count = _measure(now - moment)
    return _format_time_ago(unit, count, language) if unit else _format_date(moment, now)


@lru_cache(maxsize=1_000)
def _format_time_ago(unit: str, count: int, language: str | None) -> str:
    """Cached by language, because some lists contain hundreds."""
    match (unit, count):
        case ("now", _):
            return gettext("just now")
        case ("minutes", count):
            return gettext("{count} min ago").format(count=count)
        case ("hours", count):
            return gettext("{count} h ago").format(count=count)
        case ("days", 1):
            return gettext("yesterday")
        case ("days", count):
            return ngettext("{count} day ago", "{count} days ago", count).format(count=count)
        case ("weeks", count):
            return ngettext("{count} week ago", "{count} weeks ago", count).format(count=count)
    raise ValueError(unit)


def format_time_lasted(moment: datetime, now: datetime) -> str:
    """How long something has lasted, in words: `for 2 h`, `for a day`, or `since 3 May` beyond eight weeks."""
    match _measure(now - moment):
        case ("now", _):
            return gettext("for less than a minute")
        case ("minutes", count):
            return gettext("for {count} min").format(count=count)
        case ("hours", count):
            return gettext("for {count} h").format(count=count)
        case ("days", 1):
            return gettext("for a day")
        case ("days", count):
            return ngettext("for {count} day", "for {count} days", count).format(count=count)
        case ("weeks", count):
            return ngettext("for {count} week", "for {count} weeks", count).format(count=count)
    return gettext("since {date}").format(date=_format_date(moment, now))


def format_time_needed(seconds: float) -> str:
    """How long something took or will take, in words: `less than a minute`, `6 min`, `3 h`, `9 days`."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return gettext("less than a minute")
    if minutes < 90:
        return gettext("{count} min").format(count=minutes)
    hours = round(minutes / 60)
    if hours < 36:
        return gettext("{count} h").format(count=hours)
    days = round(hours / 24)
    return ngettext("{count} day", "{count} days", days).format(count=days)


def _measure(passed: timedelta) -> tuple[str, int]:
    """A unit and its count; "" if the date should be shown instead."""
    if passed < timedelta(minutes=1):
        return "now" if passed > -timedelta(minutes=1) else "", 0
    return next(((unit, passed // step) for below, step, unit in STEPS if passed < below), ("", 0))


def _format_date(moment: datetime, now: datetime) -> str:
    language = get_language()
    day = f"{format_day_number(moment.day, language)} {_find_short_month_name(moment.month, language)}"
    return day if moment.year == now.year else f"{day} {moment.year}"


def format_day_number(day: int, language: str | None) -> str:
    """The day of the month in a date with the name of the month: `3`, in German `3.`."""
    return f"{day}." if language == "de" else str(day)


@lru_cache(maxsize=100)
def format_month(month: int, language: str | None) -> str:
    """The name of the month (1 to 12) in the given language of the request: `May`."""
    return str(MONTHS[month])


@lru_cache(maxsize=100)
def _find_short_month_name(month: int, language: str | None) -> str:
    """The month as in Django's format `M`; in German as in `N`, with the full stop of an abbreviation."""
    return str(MONTHS_AP[month] if language == "de" else MONTHS_3[month]).title()


def format_line_range(line: int, end_line: int) -> str:
    """`line 12`, `lines 12 to 15`"""
    if line == end_line:
        return gettext("line {number}").format(number=line)
    return gettext("lines {first} to {last}").format(first=line, last=end_line)


def check_word(name: str) -> str:
    """The display name of a check of a change."""
    return str(_CHECKS.get(name, name))


def run_state_word(state: str) -> str:
    """The display name of the state of an evaluation run."""
    return str(_RUN_STATES.get(state, state))


def translate_state(state: str) -> str:
    """The display name of a state of a change, a release, a rollout or a check."""
    return str(_STATES.get(state, state))


def format_finding(text: str, names: str | Collection[str] = ()) -> SafeString:
    """A finding as a sentence in the language of the page: capital, full stop, and backticks converted to <code>. One
    of these names at its beginning keeps its case.
    """
    text = translate_finding(text).strip() if get_language() != settings.LANGUAGE_CODE else text.strip()
    first = _FIRST_WORD.match(text)
    columns = (names,) if isinstance(names, str) else tuple(names)
    if first and first[0].islower() and first[0].isalpha() and not text.startswith(tuple(filter(None, columns))):
        text = text[:1].upper() + text[1:]
    if text and text[-1] not in ".!?:…":
        text += "."
    return _mark_code(text)


def format_sentence(text: str) -> SafeString:
    """A text that is already a sentence, such as a blocker, in the language of the page, with backticks converted to
    <code>. It may begin with a name, whose case is kept.
    """
    return _mark_code(translate_finding(text).strip() if get_language() != settings.LANGUAGE_CODE else text.strip())


def _mark_code(text: str) -> SafeString:
    pieces = (name_gates(text) if " - " in text or " >= " in text else text).split("`")
    if len(pieces) % 2 == 0:  # an unpaired backtick is a literal character
        return format_html("{}", text)
    marked_pieces = (
        (format_html("<code>{}</code>", piece) if place % 2 else piece,) for place, piece in enumerate(pieces)
    )
    return format_html_join("", "{}", marked_pieces)


def format_thousands(number: int | None) -> str:
    """1234 -> 1,234 in English, 1.234 in German; an empty string for None."""
    return "" if number is None else _format_thousands_in(number, get_language())


@lru_cache(maxsize=10_000, typed=True)
def _format_thousands_in(number: int, language: str | None) -> str:
    """language: that of the page. Cached, because some pages have hundreds."""
    return number_format(number, force_grouping=True)


def format_signed(number: int) -> str:
    """A difference with a typographic sign; no sign for zero."""
    sign = "+" if number > 0 else "\N{MINUS SIGN}" if number < 0 else ""
    return sign + format_thousands(abs(number))
