"""Times, numbers, places and topics in the words that several pages use. Pure; no Django."""

from collections.abc import Mapping
from datetime import datetime, timedelta

__all__ = ["TOPICS_IN_WORDS", "line_range", "plural", "time_since"]

# What can be heard of a template, by `registry.notifications.models.Watch.TOPICS`.
TOPICS_IN_WORDS: Mapping[str, str] = {
    "published": "what is published, rolled back or moved",
    "proposed": "changes that are proposed",
    "comments": "reviews and comments",
    "saved": "versions that are saved",
}

# Up to eight weeks a time is told by its distance; after that the date says more.
RELATIVE = timedelta(weeks=8)
STEPS = (
    (timedelta(hours=1), timedelta(minutes=1), "min"),
    (timedelta(days=1), timedelta(hours=1), "h"),
    (timedelta(days=14), timedelta(days=1), "days"),
    (RELATIVE, timedelta(weeks=1), "weeks"),
)


def time_since(moment: datetime, now: datetime) -> str:
    """The words for the time between: `2 h ago`, `yesterday`, `3 weeks ago`, or the date beyond eight weeks."""
    passed = now - moment
    if passed < timedelta(minutes=1):
        return "just now" if passed > -timedelta(minutes=1) else _date(moment, now)
    for below, step, word in STEPS:
        if passed < below:
            count = passed // step
            if word == "days" and count == 1:
                return "yesterday"
            return f"{count} {word.rstrip('s') if count == 1 else word} ago"
    return _date(moment, now)


def _date(moment: datetime, now: datetime) -> str:
    return moment.strftime("%-d %b" if moment.year == now.year else "%-d %b %Y")


def line_range(line: int, end_line: int) -> str:
    """`line 12`, `lines 12 to 15`"""
    return f"line {line}" if line == end_line else f"lines {line} to {end_line}"


def plural(number: int, word: str) -> str:
    """3, "version" -> `3 versions`; "entry,entries" names both forms."""
    singular, _, plural_form = word.partition(",")
    return f"{number:,} {singular if number == 1 else plural_form or singular + 's'}"
