"""Reading the JSON in a model's reply: strictly first, then around fences and prose, then repaired, and saying so.

What is repaired is only the form. A key that is missing stays missing; whoever reads the value says what follows.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from renderer.deferred import Deferred
from renderer.errors import OutputError
from renderer.schema_errors import describe_schema_error

if TYPE_CHECKING:
    import json_repair
    import jsonschema
    import referencing
else:
    json_repair = Deferred("json_repair")
    jsonschema = Deferred("jsonschema")
    referencing = Deferred("referencing")

__all__ = ["MAX_REPLY", "Reading", "conform", "read"]

MAX_REPLY = 2_000_000
"""A longer reply, in characters, is refused."""
_MAX_STARTS = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """The value read from a reply, and what had to be repaired for it, in plain words; empty for clean JSON."""

    value: Any
    repairs: tuple[str, ...] = ()


_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\r?\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)


def read(reply: str) -> Reading:
    """Read the JSON object or list in `reply`; a reply that is JSON and nothing else gives whatever it says.

    Raises OutputError where there is no JSON to be found, or too much of it.
    """
    if len(reply) > MAX_REPLY:
        raise OutputError(f"the reply has more than {MAX_REPLY:,} characters")
    try:
        return _read(reply)
    except RecursionError:
        raise OutputError("the JSON in the reply is nested too deeply") from None


def _read(reply: str) -> Reading:
    text = reply.strip().removeprefix("\ufeff")
    try:
        return Reading(json.loads(text, parse_constant=_no_number))
    except ValueError:
        pass
    found = _embedded(text)
    if found is not None:
        return found
    return _repaired(text)


def _embedded(text: str) -> Reading | None:
    """Sound JSON inside a code fence or prose: the longest piece there is."""
    for fence in _FENCE.finditer(text):
        try:
            value = json.loads(fence[1], parse_constant=_no_number)
        except ValueError:
            continue
        if isinstance(value, dict | list):
            outside = (text[: fence.start()] + text[fence.end() :]).strip()
            return Reading(value, ("took the JSON out of its code fence", *_around(outside)))
    best = max(_values(text), key=lambda piece: piece[2] - piece[1], default=None)
    if best is None or not isinstance(best[0], dict):
        return None
    value, start, end = best
    return Reading(value, _around((text[:start] + text[end:]).strip()))


def _around(outside: str) -> tuple[str, ...]:
    return ("left out the text around the JSON",) if outside else ()


_OBJECT = re.compile(r"""\{\s*["']""")


def _values(text: str) -> Iterator[tuple[Any, int, int]]:
    decoder = json.JSONDecoder(parse_constant=_no_number)
    at = 0
    for _ in range(_MAX_STARTS):
        opening = re.compile(r"[{\[]").search(text, at)
        if opening is None:
            return
        at = opening.start() + 1
        try:
            value, end = decoder.raw_decode(text, opening.start())
        except ValueError:
            if _OBJECT.match(text, opening.start()):
                return  # a broken object: what is sound inside it is not the answer
            continue
        yield value, opening.start(), end
        at = end


def _repaired(text: str) -> Reading:
    fence = _FENCE.search(text)
    core = fence[1] if fence and ("{" in fence[1] or "[" in fence[1]) else text
    start = min((place for place in (core.find("{"), core.find("[")) if place >= 0), default=-1)
    if core.find("{") >= 0 and core is text:
        start = core.find("{")  # prose may well hold a bracketed reference before the object
    if start < 0:
        raise OutputError("the reply holds no JSON")
    repairs = ["took the JSON out of its code fence"] if core is not text else []
    core, cut_off = _bounded(core[start:])
    repairs.extend(_around(text[: text.find(core)].strip()) if not repairs else ())
    try:
        return Reading(
            json.loads(core, parse_constant=_no_number), tuple(repairs or ["left out the text around the JSON"])
        )
    except ValueError:
        pass
    value = json_repair.repair_json(core, return_objects=True, skip_json_loads=True)
    if not isinstance(value, dict | list) or (not value and core.strip()[1:2] not in ("}", "]")):
        raise OutputError("the reply holds no JSON that can be read")
    repairs.append(_cause(core, cut_off))
    return Reading(value, tuple(repairs))


def _bounded(text: str) -> tuple[str, bool]:
    """(the text up to the bracket that closes its first one, whether that bracket is missing)"""
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
        elif sign in "}]":
            depth -= 1
            if depth == 0:
                # What follows may still belong to it if a quote went astray; prose holds no such signs.
                rest = text[index + 1 :]
                return (text if re.search(r'"\s*[:,}\]]', rest) else text[: index + 1]), False
    return text, True


def _cause(core: str, cut_off: bool) -> str:
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
        json.loads(core, parse_constant=_no_number)
    except ValueError as error:
        return f"repaired JSON that was not well-formed ({error})"
    return "repaired the JSON"


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


@lru_cache(maxsize=64)
def _validator(schema: str) -> "jsonschema.Draft202012Validator":
    # An empty registry resolves `#/…` and nothing else: no schema is ever fetched.
    return jsonschema.Draft202012Validator(json.loads(schema), registry=referencing.Registry())


def conform(value: Any, schema: Mapping[str, Any] | bool) -> Reading:
    """Check a value against a JSON Schema, reading "true", "3" and the like as what the schema wants there.

    Raises OutputError that names the place in the reply for the first thing that does not fit.
    """
    repairs: list[str] = []
    value = _coerced(value, schema, "", repairs)
    try:
        fault = jsonschema.exceptions.best_match(_validator(json.dumps(schema)).iter_errors(value))
    except (referencing.exceptions.Unresolvable, jsonschema.exceptions.UnknownType, re.error) as error:
        raise OutputError(f"the output schema cannot be used: {error}") from error
    if fault is not None:
        path = fault.json_path.removeprefix("$").lstrip(".")
        raise OutputError(f"{f'`{path}` in the reply' if path else 'the reply'} {describe_schema_error(fault)}")
    return Reading(value, tuple(repairs))


_SPELLED: Mapping[str, Mapping[str, Any]] = {
    "boolean": {"true": True, "false": False, "yes": True, "no": False},
    "null": {"null": None, "none": None},
}


def _coerced(value: Any, schema: Any, path: str, repairs: list[str]) -> Any:
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, dict):
        fields = schema.get("properties")
        known = fields if isinstance(fields, Mapping) else {}
        return {name: _coerced(item, known.get(name), f"{path}.{name}", repairs) for name, item in value.items()}
    if isinstance(value, list):
        return [_coerced(item, schema.get("items"), f"{path}[{index}]", repairs) for index, item in enumerate(value)]
    if isinstance(value, str) and isinstance(schema.get("type"), str) and schema["type"] != "string":
        read_as = _as_type(value, schema["type"])
        if read_as is not value:
            repairs.append(f'read the text "{value[:40]}" in `{path.lstrip(".")}` as {json.dumps(read_as)}')
            return read_as
    return value


def _as_type(text: str, kind: str) -> Any:
    word = text.strip().lower()
    if word in _SPELLED.get(kind, {}):
        return _SPELLED[kind][word]
    if kind == "integer" and re.fullmatch(r"[-+]?\d{1,18}", word):
        return int(word)
    if kind == "number" and re.fullmatch(r"[-+]?\d{1,18}(\.\d{1,18})?", word):
        return float(word) if "." in word else int(word)
    return text
