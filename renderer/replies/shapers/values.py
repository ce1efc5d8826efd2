"""Shapers of plain values and texts."""

from collections.abc import Mapping, Sequence
from typing import Any

from promptuary.renderer.functions.documents import replace
from promptuary.renderer.replies.shapers.context import Reader, require_list, require_text, require_texts

__all__ = ["current_datetime", "format_string", "join_lists", "join_strings", "rename", "value_to_list"]


def rename(value: Any) -> Any:
    """The value itself, under the name of the output."""
    return value


def current_datetime(format: str = "%H:%M:%S %d/%m/%y", *, reader: Reader) -> str:
    """The time of the reader's clock in the form of strftime."""
    return reader.clock().strftime(require_text(format, "format"))


def value_to_list(value: Any, target_list: Sequence[Any]) -> list[Any]:
    """`value` as many times as `target_list` has items."""
    return [value] * len(require_list(target_list, "target_list"))


def join_lists(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """One list of the items of all lists."""
    return [item for inner in require_list(lists, "lists") for item in require_list(inner, "lists")]


def join_strings(strings: Sequence[str], delimiter: str = " ", str_replace: Mapping[str, str] | None = None) -> str:
    """One text of all texts, with replacements in each, set apart by `delimiter`."""
    texts = [replace(text, str_replace) for text in require_texts(strings, "strings")]
    return require_text(delimiter, "delimiter").join(texts)


def format_string(string: str, str_replace: Mapping[str, str] | None = None) -> str:
    """The text with its replacements, made one after the other."""
    return replace(require_text(string, "string"), str_replace)
