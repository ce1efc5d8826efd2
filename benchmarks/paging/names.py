"""Names and documents of the page benchmark's templates, by number."""

import random

__all__ = [
    "BEHIND",
    "FOLDERS",
    "MODELS",
    "NAMESPACES",
    "QUIET",
    "SUBJECTS",
    "choose_subject",
    "count_minutes_between",
    "make_name",
    "write_document",
]

NAMESPACES, FOLDERS = 50, 20
QUIET = "quiet"  # a namespace whose few rows are the oldest: a scan from the newest row passes all others first
# Two namespaces with a fifth of the templates each, and a folder with eight of a hundred: full pages with 1,000.
_LARGE, _LARGE_EVERY, _LARGE_FOLDER = ("ns0", "ns7"), 25, "letters"
_SPAN = 100_000  # minutes of the history at all sizes
BEHIND = 5  # the production label of every fifth template isn't on the latest version
MODELS = ("gpt-4o", "gpt-4o-mini", "claude-sonnet", "mistral-large")
SUBJECTS = ("refund", "delivery", "invoice", "complaint", "exchange", "warranty", "account", "password")
WORDS = tuple(f"{first}{last}" for first in ("be", "co", "re", "un", "pro", "sub") for last in SUBJECTS)


def choose_subject(number: int) -> str:
    """The subject of a template, one of eight."""
    return SUBJECTS[number % len(SUBJECTS)]


def make_name(number: int) -> str:
    """The unique name of a template: the subjects repeat, so some words are common and others rare."""
    folder = f"{SUBJECTS[number // 7 % 8]}-{number % FOLDERS}"
    if number % _LARGE_EVERY < 2:
        folder = _LARGE_FOLDER
    return f"{_choose_namespace(number)}/{folder}/{choose_subject(number)}-t{number}"


def count_minutes_between(total: int) -> int:
    """The minutes between two templates of this many, so that each size has the same months."""
    return max(1, _SPAN // total)


def _choose_namespace(number: int) -> str:
    block, place = divmod(number, _LARGE_EVERY)
    if place // 5 < len(_LARGE):
        return _LARGE[place // 5]
    return f"ns{(block * (_LARGE_EVERY - 5 * len(_LARGE)) + place) % NAMESPACES}"


def write_document(number: int, version: int, chance: random.Random) -> str:
    """A document of about a kilobyte with front matter."""
    words = [" ".join(chance.choices(WORDS, k=12)) for _ in range(8)]
    lines = "\n".join(f"    {line}." for line in words)
    subject = choose_subject(number)
    return (
        f"---\ndescription: Answer about a {subject}\ntags: [{subject}, team-{number % 13}]\n"
        f"model: {MODELS[number % len(MODELS)]}\ninputs:\n  question: {{type: string}}\n"
        f"  {subject}_number: {{type: string}}\n---\n- name: question\n  content: |\n{lines}\n"
        f"    Marker m{number} {version}. {{{{ question }}}} {{{{ {subject}_number }}}}\n"
    )
