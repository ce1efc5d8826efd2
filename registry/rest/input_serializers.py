"""Serializers of request bodies, which refuse unknown fields and never convert one type to another."""

from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Any

from django.utils.formats import number_format
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy, ngettext
from rest_framework import serializers
from rest_framework.request import Request

from promptuary.renderer.syntax import suggestions

__all__ = ["Choice", "Flag", "Input", "Integer", "NoInput", "Number", "Text", "list_unknown_names", "read_body"]


def list_unknown_names(unknown: Collection[str], what: str, known_names: Iterable[str]) -> dict[str, list[str]]:
    """The faults of unknown fields or parameters: ten by name, the rest as a number."""
    is_field = what == "field"
    sentence = (
        gettext("Unknown field. Known ones: {names}.")
        if is_field
        else gettext("Unknown parameter. Known ones: {names}.")
    )
    sentence = sentence.format(names=", ".join(known_names))
    faults = {suggestions.shorten_name(name): [sentence] for name in islice(unknown, suggestions.MAX_NAMED)}
    if len(unknown) > suggestions.MAX_NAMED:
        unnamed_count = len(unknown) - suggestions.MAX_NAMED
        more = (
            ngettext("{count} more unknown field.", "{count} more unknown fields.", unnamed_count)
            if is_field
            else ngettext("{count} more unknown parameter.", "{count} more unknown parameters.", unnamed_count)
        )
        faults["non_field_errors"] = [more.format(count=number_format(unnamed_count, force_grouping=True))]
    return faults


class Input(serializers.Serializer[Any]):
    """A JSON object with known fields only."""

    def to_internal_value(self, data: Any) -> Any:
        """Refuse fields that are not declared: a misspelt one must not be dropped silently."""
        if isinstance(data, Mapping):
            unknown = [str(name) for name in data if name not in self.fields]
            if unknown:
                raise serializers.ValidationError(list_unknown_names(unknown, "field", self.fields))
        return super().to_internal_value(data)


class NoInput(Input):
    """An empty object, or no body."""


class Text(serializers.CharField):
    """A JSON string as it is: not trimmed, and never made from a number or a truth value."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"trim_whitespace": False, "allow_blank": True, **options})

    def to_internal_value(self, data: Any) -> str:
        """Only a string is a string."""
        if not isinstance(data, str):
            raise serializers.ValidationError([gettext("This is not a text.")])
        return data


class Integer(serializers.IntegerField):
    """A JSON integer; "3", 3.0 and true are none."""

    def to_internal_value(self, data: Any) -> int:
        """Only an integer is an integer."""
        if isinstance(data, bool) or not isinstance(data, int):
            raise serializers.ValidationError([gettext("This is not a whole number.")])
        return super().to_internal_value(data)


class Number(serializers.FloatField):
    """A JSON number; "3" and true are none."""

    def to_internal_value(self, data: Any) -> float:
        """Only a number is a number."""
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise serializers.ValidationError([gettext("This is not a number.")])
        return float(super().to_internal_value(data))


class Flag(serializers.BooleanField):
    """true or false, nothing that stands for them."""

    def to_internal_value(self, data: Any) -> bool:
        """Only a truth value is a truth value."""
        if not isinstance(data, bool):
            raise serializers.ValidationError([gettext("This is neither true nor false.")])
        return data


class Choice(serializers.ChoiceField):
    """One of certain words; whoever sends another is told which there are."""

    def __init__(self, choices: Iterable[str], **options: Any) -> None:
        words = list(choices)
        messages = {"invalid_choice": format_lazy(gettext_lazy("one of {names}."), names=", ".join(words))}
        super().__init__(words, **{"error_messages": messages, **options})


def read_body(kind: type[Input], request: Request) -> dict[str, Any]:
    """Validate the request's body as `kind`. Raises ValidationError naming each wrong field."""
    serializer = kind(data=request.data)
    serializer.is_valid(raise_exception=True)
    values: dict[str, Any] = dict(serializer.validated_data)
    return values
