"""The entry of one event, and its commit message and author line: written from the entry, parsed back from Git.

The trailers are the last paragraph and can't contain user input: a note is indented, a subject is one line, and the
event's JSON has no raw newline.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from registry.core.input_checks import parse_number
from registry.journal.mirroring import Move
from registry.mirror.errors import MirrorError

__all__ = [
    "COMMITTER",
    "Entry",
    "Stamp",
    "compose_message",
    "read_record",
    "read_stamp",
    "write_author_line",
    "write_committer_line",
]

COMMITTER = "Promptuary <mirror@promptuary.invalid>"
_INDENT = "    "
_MAX_SUBJECT_LENGTH = 120
_EVENT, _RECORD, _CHAIN = "Promptuary-Event", "Promptuary-Record", "Promptuary-Chain"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_CRUD = ".,:;<>\"\\'"  # what Git strips from a name; stripped here so that a commit is read as it was written


@dataclass(frozen=True)
class Entry:
    """An event with everything in its commit.

    `at` is in microseconds since 1970 UTC, `record` the event's canonical JSON on one line, `chain` its hash; `files`
    maps a path to its new bytes, or to None to delete it; `renames` an old path to a new one.
    """

    number: int
    at: int
    author: str
    subject: str
    record: str
    chain: str
    note: str = ""
    template: str = ""
    version: int | None = None
    digest: str = ""
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    renames: Mapping[str, str] = field(default_factory=dict)
    moves: tuple[Move, ...] = ()


@dataclass(frozen=True)
class Stamp:
    """A commit's own record: the event's number and the chain's hash after it."""

    number: int
    chain: str


def compose_message(entry: Entry) -> str:
    """The whole message: subject, the user's note, then the trailers. Ends with a newline."""
    paragraphs = [_join_lines(entry.subject)[:_MAX_SUBJECT_LENGTH].rstrip() or "(no subject)"]
    note = _quote(entry.note)
    if note:
        paragraphs.append(note)
    paragraphs.append(_write_trailers(entry))
    return "\n\n".join(paragraphs) + "\n"


def _write_trailers(entry: Entry) -> str:
    if "\n" in entry.record or "\r" in entry.record:
        raise MirrorError(f"The record of event {entry.number} is not on one line.")
    pairs = [(_EVENT, str(entry.number))]
    if entry.template:
        pairs.append(("Promptuary-Template", entry.template))
    if entry.version is not None:
        pairs.append(("Promptuary-Version", str(entry.version)))
    if entry.digest:
        pairs.append(("Promptuary-Digest", entry.digest))
    pairs += [(_RECORD, entry.record), (_CHAIN, entry.chain)]
    return "\n".join(f"{name}: {value}" for name, value in pairs)


def read_stamp(message: str) -> Stamp | None:
    """The stamp in a message's last paragraph, or None if Promptuary didn't write one."""
    trailers = _read_trailers(message)
    number, chain = trailers.get(_EVENT, ""), trailers.get(_CHAIN, "")
    event = parse_number(number, digits=18)
    return Stamp(event, chain) if event is not None and chain else None


def read_record(message: str) -> str | None:
    """The event's canonical JSON from a message, or None."""
    return _read_trailers(message).get(_RECORD)


def _read_trailers(message: str) -> dict[str, str]:
    last = message.rstrip("\n").rsplit("\n\n", 1)[-1]
    trailers = {}
    for line in last.split("\n"):
        name, separator, value = line.partition(": ")
        if separator and name.startswith("Promptuary-"):
            trailers[name] = value
    return trailers


def write_author_line(entry: Entry) -> str:
    """`Name <address> seconds +0000`; a name that Git would refuse or change is sanitized."""
    name = _clean_name(entry.author) or "unknown"
    address = re.sub(r"[^A-Za-z0-9.@_+-]", "", entry.author).strip(".") or "unknown"
    if "@" not in address:
        address += "@promptuary.invalid"
    return f"{name} <{address}> {entry.at // 1_000_000} +0000"


def write_committer_line(entry: Entry) -> str:
    """The fixed committer at the event's second."""
    return f"{COMMITTER} {entry.at // 1_000_000} +0000"


def _clean_name(name: str) -> str:
    return _join_lines(re.sub(r"[<>]", "", name)).strip(_CRUD + " ")


def _join_lines(text: str) -> str:
    return re.sub(r" {2,}", " ", _CONTROL.sub(" ", text)).strip()


def _quote(note: str) -> str:
    """Indent each line of the note, so that none can be a trailer or start the last paragraph."""
    lines = [_CONTROL.sub(" ", line).rstrip() for line in re.split(r"\r\n|\n|\r", note.strip())]
    return "\n".join(_INDENT + line if line else "" for line in lines).strip("\n")
