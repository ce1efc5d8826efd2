"""Wrong types of a schema, explained: the words that a type can be, and the likely one."""

from typing import Any

from promptuary.renderer.schemas.validation import SchemaFault
from promptuary.renderer.syntax import suggestions

__all__ = ["describe_wrong_type", "suggest_type"]

TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
_OTHER_NAMES = {
    "bool": "boolean",
    "date": "string",
    "decimal": "number",
    "dict": "object",
    "double": "number",
    "float": "number",
    "group": "object",
    "int": "integer",
    "list": "array",
    "longtext": "string",
    "map": "object",
    "mapping": "object",
    "none": "null",
    "str": "string",
    "text": "string",
    "wholenumber": "integer",
    "yesorno": "boolean",
}
"""Names of the same types in the editor's form and in programming languages, in small letters without spaces."""


def describe_wrong_type(fault: SchemaFault) -> str:
    """Return a sentence if the fault of a schema is a wrong `type`, else nothing."""
    if list(fault.absolute_schema_path)[-3:] != ["properties", "type", "anyOf"]:
        return ""
    wrong = _find_wrong_type(fault.instance)
    if wrong is None:
        return "`type` must be the name of a type, such as string, or a list of different names"
    suggestion = suggest_type(wrong)
    hint = f"; did you mean `{suggestion}`?" if suggestion else ""
    return (
        f"`{suggestions.shorten_name(wrong)}` is not one of the types string (text), number, integer (whole number), "
        f"boolean (yes or no), array (list), object (group) and null (no value){hint}"
    )


def suggest_type(wrong: str) -> str | None:
    """Return the type that the word probably means, or None."""
    word = wrong.lower().replace(" ", "")
    if word in TYPES:
        return word
    likely_name = _OTHER_NAMES.get(word) or suggestions.find_likely_name(word, [*TYPES, *_OTHER_NAMES])
    return _OTHER_NAMES.get(likely_name, likely_name) if likely_name else None


def _find_wrong_type(value: Any) -> str | None:
    """The first text that isn't a type."""
    texts = [type_name for type_name in (value if isinstance(value, list) else [value]) if isinstance(type_name, str)]
    return next((text for text in texts if text not in TYPES), None)
