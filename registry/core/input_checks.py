"""Validation of external input: free text, JSON and numbers, refused with a sentence.

Text must be representable in the databases, Git and UTF-8, within a size limit and without secrets. JSON that parsers
interpret differently is refused.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from django.utils.translation import gettext

from promptuary.renderer.problems import Problem
from promptuary.renderer.validation import secrets, text_scan
from registry.core.errors import Invalid, PromptuaryError, TooLarge

__all__ = [
    "DOCUMENT_BYTES",
    "MESSAGE_BYTES",
    "SAMPLES_BYTES",
    "BadJson",
    "check_secrets",
    "check_size",
    "check_text",
    "find_private",
    "parse_json",
    "parse_number",
]

DOCUMENT_BYTES = 256 * 1024
SAMPLES_BYTES = 1024 * 1024
MESSAGE_BYTES = 10_000
_BATCH = 100  # rows searched together
_MAX_FOUND = 100
_MAX_DEPTH = 32
_LARGEST = 2**53 - 1  # beyond it, parsers disagree on the value


def check_text(field: str, value: object, limit: int = MESSAGE_BYTES, *, may_hold_secrets: bool = False) -> str:
    """Return the value if it is text without NUL, lone surrogates and credentials, at most `limit` bytes in UTF-8.

    may_hold_secrets: for text that never reaches the journal or the mirror, or that is searched for secrets elsewhere.
    """
    if not isinstance(value, str):
        raise Invalid(fields={field: gettext("this must be text, not {kind}.").format(kind=type(value).__name__)})
    if "\0" in value:
        line = value[: value.index("\0")].count("\n") + 1
        raise Invalid(fields={field: gettext("line {line} has a NUL character, which no text may.").format(line=line)})
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError as error:
        line = value[: error.start].count("\n") + 1
        raise Invalid(
            fields={
                field: gettext("line {line} has half of a surrogate pair, which is not a character.").format(line=line)
            }
        ) from error
    check_size(field, size, limit)
    if not may_hold_secrets:
        check_secrets(field, value)
    return value


def check_secrets(field: str, text: str) -> None:
    """Raise Invalid if the text contains a credential, naming the field and the line but never the credential."""
    for secret in secrets.find_secrets(text):
        if secret.sure:
            line = text.count("\n", 0, secret.start) + 1
            raise Invalid(
                fields={
                    field: gettext(
                        "line {line} looks like {kind}. This is kept forever and mirrored to Git: leave it out, and "
                        "revoke it where it is real ({advice})."
                    ).format(line=line, kind=secret.kind, advice=secrets.ADVICE)
                }
            )


def find_private(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, Problem]]:
    """Secrets and personal data in the values of rows, each with the row's index; at most 100 of them."""
    count = 0
    for start in range(0, len(rows), _BATCH):
        batch = rows[start : start + _BATCH]
        if text_scan.is_harmless(batch):
            continue
        for offset, row in enumerate(batch):
            for problem in text_scan.scan_values(row, "", "rows are kept forever"):
                yield start + offset, problem
                count += 1
                if count == _MAX_FOUND:
                    return


def check_size(field: str, size: int, limit: int) -> None:
    """Raise TooLarge if a text has more bytes than allowed."""
    if size > limit:
        raise TooLarge(
            gettext("{field}: {size} bytes; at most {most} are allowed.").format(field=field, size=size, most=limit),
            field=field,
            limit=limit,
        )


def parse_number(text: str, *, digits: int = 9) -> int | None:
    """Parse ASCII digits; None for anything else and for more than `digits` digits.

    The limit keeps numbers within the database's integers and protects int() from very long input.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


class BadJson(PromptuaryError):
    """The text isn't JSON, or isn't JSON that this API accepts."""


def parse_json(body: bytes) -> Any:
    """Parse a UTF-8 JSON text.

    Refused: duplicate keys, NaN and infinities, numbers outside the exact range, nesting deeper than 32, NUL and lone
    surrogates in any text. Raises BadJson with the position.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadJson(gettext("The body is not UTF-8: byte {start} does not fit.").format(start=error.start)) from None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_to_object,
            parse_constant=_refuse_constant,
            parse_int=_to_int,
            parse_float=_to_float,
        )
    except json.JSONDecodeError as error:
        raise BadJson(
            gettext("This is not JSON: {msg}, line {lineno} column {colno}.").format(
                msg=error.msg, lineno=error.lineno, colno=error.colno
            )
        ) from None
    except RecursionError:
        raise BadJson(
            gettext("The JSON is nested deeper than {most_depth} levels.").format(most_depth=_MAX_DEPTH)
        ) from None
    _check_value(value)
    return value


def _to_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise BadJson(gettext("The key {quote} occurs twice in one object.").format(quote=_quote(name)))
        members[name] = value
    return members


def _refuse_constant(word: str) -> NoReturn:
    raise BadJson(gettext("{word} is not a JSON number.").format(word=word))


def _to_int(digits: str) -> int:
    # More digits are never converted: that takes quadratic time.
    if len(digits) > 17 or abs(int(digits)) > _LARGEST:
        raise BadJson(
            gettext("The number {value} is outside ±(2^53 - 1); send it as a text.").format(value=digits[:20])
        )
    return int(digits)


def _to_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise BadJson(gettext("The number {value} is too large.").format(value=digits[:20]))
    return number


_Where = tuple["_Where", str | int] | None
"""A location as its parent and a step, formatted only for an error there."""


def _check_value(value: Any) -> None:
    """Iterates instead of recursing: a hostile value must not reach the recursion limit."""
    waiting: list[tuple[Any, int, _Where]] = [(value, 0, None)]
    while waiting:
        item, depth, where = waiting.pop()
        if isinstance(item, str):
            _require_clean(item, where)
        elif isinstance(item, dict | list):
            if depth >= _MAX_DEPTH:
                raise BadJson(
                    gettext("The JSON is nested deeper than {most_depth} levels.").format(most_depth=_MAX_DEPTH)
                )
            waiting += [(child, depth + 1, path) for child, path in _list_children(item, where)]


def _list_children(item: dict[str, Any] | list[Any], where: _Where) -> Iterator[tuple[Any, _Where]]:
    if isinstance(item, list):
        for index, child in enumerate(item):
            yield child, (where, index)
        return
    for name, child in item.items():
        _require_clean(name, where)
        yield child, (where, name)


def _format_path(where: _Where) -> str:
    steps: list[str] = []
    while where is not None:
        where, step = where
        steps.append(str(step)[:80])
    return "/" + "/".join(reversed(steps))


def _require_clean(text: str, where: _Where) -> None:
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            sign = gettext("half of a surrogate pair")
            raise BadJson(_describe_unstorable(sign, where, text[: error.start])) from None
    if "\0" in text:
        raise BadJson(_describe_unstorable(gettext("a NUL character"), where, text.partition("\0")[0]))


def _describe_unstorable(sign: str, where: _Where, before: str) -> str:
    """before: the text up to the character."""
    line = before.count("\n") + 1
    sentence = gettext("The text at {quote} has {sign} on line {line}, which can't be stored. Remove it.")
    return sentence.format(quote=_quote(_format_path(where)), sign=sign, line=line)


def _quote(text: str) -> str:
    return repr(text[:80].encode("utf-8", "backslashreplace").decode("utf-8"))
