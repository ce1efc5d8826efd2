"""Reading the JSON in a model's reply: as it is, else extracted from fences and prose, else repaired, with a note.

Only the syntax is repaired. A missing key stays missing, and the caller decides what follows from that.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from promptuary.renderer.errors import OutputError
from promptuary.renderer.lazy_import import Deferred

if TYPE_CHECKING:
    import json_repair
else:
    json_repair = Deferred("json_repair")


__all__ = ["MAX_REPLY", "Reading", "read_reply"]

MAX_REPLY = 2_000_000
"""The maximum length of a reply in characters."""
MAX_DEPTH = 100
"""The maximum nesting depth of lists and objects."""
_MAX_STARTS = 200
_MAX_REPAIRED = 60_000  # characters
_MAX_REPAIR_STEPS = 400_000


@dataclass(frozen=True, slots=True)
class Reading:
    """The value read from a reply, and descriptions of the repairs; empty for valid JSON."""

    value: Any
    repairs: tuple[str, ...] = ()


_FENCE = re.compile(r"```[ \t]*+(?:[\w+-]++[ \t]*+)?\r?\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)


def read_reply(reply: str) -> Reading:
    """Read the JSON object or list in `reply`. A reply that is nothing but JSON may have a value of any type.

    Raises only OutputError: if there is no JSON or too much of it, or if it can't be repaired in bounded time.
    """
    if len(reply) > MAX_REPLY:
        raise OutputError(f"the reply has more than {MAX_REPLY:,} characters")
    try:
        value = _read(reply)
    except RecursionError:
        raise OutputError(_TOO_DEEP) from None
    _check(value.value)
    return value


_TOO_DEEP = f"the JSON in the reply is nested too deeply: more than {MAX_DEPTH} levels"


def _check(value: Any) -> None:
    """Raise OutputError for a value that is nested too deeply or contains a number that JSON doesn't have."""
    waiting = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        if isinstance(item, dict | list):
            if depth >= MAX_DEPTH:
                raise OutputError(_TOO_DEEP)
            waiting += [(child, depth + 1) for child in (item.values() if isinstance(item, dict) else item)]
        elif isinstance(item, float) and not math.isfinite(item):
            raise OutputError("the reply has a number that is too large")


def _read(reply: str) -> Reading:
    text = reply.strip().removeprefix("\ufeff")
    try:
        return Reading(_load(text))
    except ValueError:
        pass
    embedded = _read_embedded(text)
    if embedded is not None:
        return embedded
    return _read_repaired(text)


def _read_embedded(text: str) -> Reading | None:
    """Valid JSON inside a code fence or prose: the longest piece."""
    for fence in _FENCE.finditer(text):
        try:
            value = _load(fence[1])
        except ValueError:
            continue
        if isinstance(value, dict | list):
            outside = (text[: fence.start()] + text[fence.end() :]).strip()
            return Reading(value, ("took the JSON out of its code fence", *_note_text_around(outside)))
    best = max(_find_values(text), key=lambda piece: piece[2] - piece[1], default=None)
    if best is None or not isinstance(best[0], dict):
        return None
    value, start, end = best
    return Reading(value, _note_text_around((text[:start] + text[end:]).strip()))


def _note_text_around(outside: str) -> tuple[str, ...]:
    return ("left out the text around the JSON",) if outside else ()


_OBJECT = re.compile(r"""\{\s*["']""")


def _find_values(text: str) -> Iterator[tuple[Any, int, int]]:
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    at, looked_at = 0, 0
    for _ in range(_MAX_STARTS):
        opening = re.compile(r"[{\[]").search(text, at)
        if opening is None:
            return
        at = opening.start() + 1
        try:
            value, end = decoder.raw_decode(text, opening.start())
        except ValueError as error:
            if _OBJECT.match(text, opening.start()):
                return  # a broken object: valid parts inside it aren't the answer
            looked_at += getattr(error, "pos", len(text)) - opening.start()
            if looked_at > 2 * len(text):
                return  # nested opening brackets: each would be scanned to the end again
            continue
        yield value, opening.start(), end
        at = end


def _read_repaired(text: str) -> Reading:
    fence = _FENCE.search(text)
    core = fence[1] if fence and ("{" in fence[1] or "[" in fence[1]) else text
    start = min((place for place in (core.find("{"), core.find("[")) if place >= 0), default=-1)
    if core.find("{") >= 0 and core is text:
        start = core.find("{")  # prose may contain a bracketed reference before the object
    if start < 0:
        raise OutputError("the reply has no JSON")
    repairs = ["took the JSON out of its code fence"] if core is not text else []
    core, cut_off = _cut_to_brackets(core[start:])
    repairs.extend(_note_text_around(text[: text.find(core)].strip()) if not repairs else ())
    try:
        return Reading(_load(core), tuple(repairs or ["left out the text around the JSON"]))
    except ValueError:
        pass
    value = _repair(core) if len(core) <= _MAX_REPAIRED else _close_brackets(core)
    if not isinstance(value, dict | list) or (not value and core.strip()[1:2] not in ("}", "]")):
        raise OutputError("the reply has no JSON that can be read")
    repairs.append(_describe_cause(core, cut_off))
    return Reading(value, tuple(repairs))


class _TooDamaged(Exception):
    """The repair exceeded its limit of steps."""


class _Metered(str):
    """A text that counts accesses to it, to bound the running time of json_repair, which has no limit of its own."""

    left = _MAX_REPAIR_STEPS

    def __getitem__(self, place: Any) -> str:
        item = super().__getitem__(place)
        self.left -= 1 + len(item) // 16
        if self.left < 0:
            raise _TooDamaged
        return item


_SIGNS = re.compile(r'["{}\[\],]')
_STRING_END = re.compile(r'(?>(?:[^"\\]|\\.)*)"', re.DOTALL)


def _close_brackets(text: str) -> Any:
    """Close what is open in a long truncated text; if that isn't enough, drop its last item.

    Raises OutputError for any other damage.
    """
    closing: list[str] = []
    cut_at, cut_closing = 0, list[str]()
    at, is_inside = 0, False
    while not is_inside and (sign := _SIGNS.search(text, at)) is not None:
        at = sign.end()
        if sign[0] == '"':
            end = _STRING_END.match(text, at)
            at, is_inside = (end.end(), False) if end else (at, True)
        elif sign[0] in "{[":
            closing.append("}" if sign[0] == "{" else "]")
            cut_at, cut_closing = at, list(closing)
        elif sign[0] == ",":
            cut_at, cut_closing = at - 1, list(closing)
        elif closing:
            closing.pop()
    closed_text = text[:cut_at] + "".join(reversed(cut_closing))
    for attempt in (text + ('"' if is_inside else "") + "".join(reversed(closing)), closed_text):
        try:
            return _load(attempt)
        except ValueError:
            continue
    raise OutputError(f"the JSON in the reply is damaged; more than {_MAX_REPAIRED:,} characters are not repaired")


def _repair(text: str) -> Any:
    """Repair the text with json_repair. Raises OutputError if that fails or would take too long."""
    try:
        return json_repair.repair_json(_Metered(text), return_objects=True, skip_json_loads=True)
    except _TooDamaged:
        raise OutputError("the JSON in the reply is damaged in too many places to be repaired") from None
    except RecursionError:
        raise
    except Exception as error:  # noqa: BLE001 - a library that guesses at broken text may fail in any way
        raise OutputError(f"the JSON in the reply can't be repaired ({type(error).__name__})") from None


def _cut_to_brackets(text: str) -> tuple[str, bool]:
    """(the text up to the bracket that closes its first one, whether that bracket is missing)

    Raises OutputError if more than MAX_DEPTH brackets are open.
    """
    depth, inside, skip = 0, False, False
    for index, sign in enumerate(text):
        if skip:
            skip = False
        elif inside:
            skip, inside = sign == "\\", sign != '"'
        elif sign == '"':
            inside = True
        elif sign in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                raise OutputError(_TOO_DEEP)
        elif sign in "}]":
            depth -= 1
            if depth == 0:
                # If a quote was misplaced, the rest may still belong to the value; prose has no such characters.
                text_after = text[index + 1 :]
                return (text if re.search(r'"\s*[:,}\]]', text_after) else text[: index + 1]), False
    return text, True


def _describe_cause(core: str, cut_off: bool) -> str:
    if cut_off:
        return "the reply breaks off inside the JSON, as it does at a token limit; closed what was open"
    if re.search(r",\s*[}\]]", core):
        try:
            json.loads(re.sub(r",(\s*[}\]])", r"\1", core))
        except ValueError:
            pass
        else:
            return "dropped a comma before a closing bracket"
    try:
        _load(core)
    except ValueError as error:
        return f"repaired JSON that was not well-formed ({error})"
    return "repaired the JSON"


def _load(text: str) -> Any:
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
