"""JSON Schema validation with linear-time patterns, no remote references, and fast uniqueness checks.

All validation of documents' inputs and outputs, and of an evaluation's metrics, is done here.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from promptuary.renderer.lazy_import import Deferred
from promptuary.renderer.syntax import suggestions
from promptuary.renderer.syntax.regular_expressions import MAX_BACKTRACKED, PatternError, TooLong, compile_pattern

if TYPE_CHECKING:
    import jsonschema
    import referencing
else:
    jsonschema = Deferred("jsonschema")
    referencing = Deferred("referencing")

__all__ = ["SchemaFault", "Unusable", "check_schema", "find_backtracking_patterns", "find_best_error", "find_errors"]

SchemaFault = Any
"""A jsonschema.ValidationError or SchemaError: `message`, `absolute_path`, `json_path`."""

# Under these keywords, keys are names chosen by the author.
_NAMES = frozenset(("properties", "patternProperties", "$defs", "dependentSchemas", "definitions"))
# The values of these are data.
_DATA = frozenset(("const", "default", "enum", "examples"))
_ENDLESS = "it refers to itself without end"


class Unusable(Exception):
    """The schema can't be used: an unresolvable or circular reference, an unknown type, or an invalid pattern."""


def check_schema(schema: Any) -> SchemaFault | None:
    """Return what is wrong with a schema itself, or None. Raises RecursionError if it is nested too deeply."""
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        return error
    return None


def find_errors(schema: Any, value: Any) -> Iterator[SchemaFault]:
    """Yield every violation of the schema. Raises Unusable."""
    try:
        yield from _make_validator(json.dumps(schema, sort_keys=True)).iter_errors(value)
    except (referencing.exceptions.Unresolvable, jsonschema.exceptions.UnknownType, PatternError) as failure:
        raise Unusable(str(failure)) from failure
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as failure:  # an invalid schema
        raise Unusable(f"it is unsound ({type(failure).__name__})") from failure
    except RecursionError:
        raise Unusable(_ENDLESS) from None
    except BaseException as failure:
        # `referencing` keeps schemas in a Rust map, which panics if Python's stack overflows inside it.
        if type(failure).__name__ != "PanicException":
            raise
        raise Unusable(_ENDLESS) from None


def find_best_error(schema: Any, value: Any) -> SchemaFault | None:
    """Return the most relevant error, or None if the value is valid. Raises Unusable."""
    return jsonschema.exceptions.best_match(find_errors(schema, value))


def find_backtracking_patterns(schema: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """Find the patterns of a schema that can't run in linear time, and why.

    Their texts are refused beyond MAX_BACKTRACKED characters.
    """
    problems: list[tuple[tuple[str | int, ...], str]] = []
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(schema, ())]
    while waiting:
        part, path = waiting.pop()
        if isinstance(part, list):
            waiting += [(item, (*path, index)) for index, item in enumerate(part)]
        elif isinstance(part, dict):
            is_names = path[-1:] and path[-1] in _NAMES and path[-2:-1] != path[-1:]
            waiting += [(item, (*path, key)) for key, item in part.items() if is_names or key not in _DATA]
            patterns = part.get("patternProperties")
            sources = [] if is_names else [("pattern", part.get("pattern"))]
            if not is_names and isinstance(patterns, dict):
                sources += [("patternProperties", source) for source in patterns]
                if "unevaluatedProperties" in part and patterns:
                    problems.append(((*path, "patternProperties"), "`unevaluatedProperties` is beside it"))
            problems += [((*path, key), reason) for key, source in sources for reason in _explain_pattern_fault(source)]
    return problems


def _explain_pattern_fault(source: Any) -> Iterator[str]:
    if isinstance(source, str):
        try:
            reason = compile_pattern(source).reason
        except PatternError:
            return  # reported by the check of the schema itself
        if reason:
            yield reason


@lru_cache(maxsize=256)
def _make_validator(schema: str) -> Any:
    # An empty registry resolves only `#/…`, so no schema is ever fetched.
    return _build_validator_class()(_remove_dialects(json.loads(schema)), registry=referencing.Registry())


@cache
def _build_validator_class() -> Any:
    keywords = {
        "additionalProperties": _check_additional_properties,
        "pattern": _check_pattern,
        "patternProperties": _check_pattern_properties,
        "propertyNames": _check_property_names,
        "uniqueItems": _check_unique_items,
    }
    extend: Any = jsonschema.validators.extend
    return extend(jsonschema.Draft202012Validator, keywords)


def _remove_dialects(schema: Any, *, is_names: bool = False) -> Any:
    """The schema without `$schema`, which would validate a part of it by another dialect."""
    if isinstance(schema, list):
        return [_remove_dialects(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: part if key in _DATA and not is_names else _remove_dialects(part, is_names=key in _NAMES and not is_names)
        for key, part in schema.items()
        if is_names or key != "$schema"
    }


def _build_error(message: str, cause: Exception | None = None) -> Any:
    return jsonschema.ValidationError(message, cause=cause)


def _matches(source: str, text: str) -> bool:
    return compile_pattern(source).search(text) is not None


def _check_pattern(validator: Any, source: str, value: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(value, str):
        return
    try:
        if not _matches(source, value):
            yield _build_error(f"the text does not match {source!r}")
    except TooLong as error:
        yield _build_error(str(error), error)


def _check_pattern_properties(validator: Any, patterns: Any, value: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(value, dict):
        return
    is_bounded = "unevaluatedProperties" in schema
    for name, item in value.items():
        if is_bounded and len(name) > MAX_BACKTRACKED:
            yield _build_error(f"a name has {len(name):,} characters; at most {MAX_BACKTRACKED:,} are allowed here")
            return
        for source, part in patterns.items():
            try:
                if _matches(source, name):
                    yield from validator.descend(item, part, path=name, schema_path=source)
            except TooLong as error:
                yield _build_error(f"a name is too long: {error}", error)


def _check_additional_properties(validator: Any, allowed: Any, value: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(value, dict):
        return
    declared_properties = schema.get("properties", {})
    patterns = list(schema.get("patternProperties", {}))
    try:
        extra = [
            name
            for name in value
            if name not in declared_properties and not any(_matches(source, name) for source in patterns)
        ]
    except TooLong:
        return  # handled by `patternProperties`
    if isinstance(allowed, dict):
        for name in extra:
            yield from validator.descend(value[name], allowed, path=name)
    elif allowed is False and extra:
        verb = "was" if len(extra) == 1 else "were"
        yield _build_error(f"additional properties are not allowed: {suggestions.list_names(extra)} {verb} unexpected")


def _check_property_names(validator: Any, names: Any, value: Any, schema: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for name in value:
            yield from validator.descend(instance=name, schema=names)


def _check_unique_items(validator: Any, is_required: Any, value: Any, schema: Any) -> Iterator[Any]:
    if is_required is True and isinstance(value, list):
        distinct_texts = {_write_canonically(item) for item in value}
        if len(distinct_texts) < len(value):
            yield _build_error("the list has items that are equal")


def _write_canonically(item: Any) -> str:
    """A key that is equal for values equal in JSON Schema: 1 and 1.0, but not 1 and true."""
    return json.dumps(_normalize_numbers(item), sort_keys=True)


def _normalize_numbers(item: Any) -> Any:
    if isinstance(item, float) and item.is_integer():
        return int(item)
    if isinstance(item, list):
        return [_normalize_numbers(part) for part in item]
    if isinstance(item, Mapping):
        return {name: _normalize_numbers(part) for name, part in item.items()}
    return item
