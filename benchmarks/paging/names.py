"""Names and documents of the page benchmark's templates, by number."""

import random

__all__ = ["BEHIND", "FOLDERS", "MODELS", "NAMESPACES", "QUIET", "SUBJECTS", "document_of", "name_of", "subject_of"]

NAMESPACES, FOLDERS = 50, 20
QUIET = "quiet"  # a namespace whose few rows are the oldest: a scan from the newest row passes all others first
BEHIND = 5  # the production label of every fifth template isn't on the latest version
MODELS = ("gpt-4o", "gpt-4o-mini", "claude-sonnet", "mistral-large")
SUBJECTS = ("refund", "delivery", "invoice", "complaint", "exchange", "warranty", "account", "password")
WORDS = tuple(f"{first}{last}" for first in ("be", "co", "re", "un", "pro", "sub") for last in SUBJECTS)


def subject_of(number: int) -> str:
    """The subject of a template, one of eight."""
    return SUBJECTS[number % len(SUBJECTS)]


def name_of(number: int) -> str:
    """The unique name of a template: the subjects repeat, so some words are common and others rare."""
    folder = f"{SUBJECTS[number // 7 % 8]}-{number % FOLDERS}"
    return f"ns{number % NAMESPACES}/{folder}/{subject_of(number)}-t{number}"


def document_of(number: int, version: int, chance: random.Random) -> str:
    """A document of about a kilobyte with front matter."""
    words = [" ".join(chance.choices(WORDS, k=12)) for _ in range(8)]
    lines = "\n".join(f"    {line}." for line in words)
    subject = subject_of(number)
    return (
        f"---\ndescription: Answer about a {subject}\ntags: [{subject}, team-{number % 13}]\n"
        f"model: {MODELS[number % len(MODELS)]}\ninputs:\n  question: {{type: string}}\n"
        f"  {subject}_number: {{type: string}}\n---\n- name: question\n  content: |\n{lines}\n"
        f"    Marker m{number} {version}. {{{{ question }}}} {{{{ {subject}_number }}}}\n"
    )
