"""The shaping functions a prompt may call: `{join(documents)}` in shaped documents, `{{ join(documents) }}` elsewhere.

The formats, the editor's completion and the reference page all use this registry. A function takes plain JSON values,
returns text or a list, and raises InputError or LimitError. None of them reads a clock, a file or the network.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from promptuary.renderer.errors import InputError, LimitError
from promptuary.renderer.functions.documents import MAX_TEXT, show, show_all
from promptuary.renderer.functions.sentences import KeyedSentences, split_documents, split_response
from promptuary.renderer.syntax import suggestions
from promptuary.renderer.values.printing import print_value

__all__ = ["FUNCTIONS", "Function", "KeyedSentences", "describe_nearest", "join", "to_list", "to_strings"]


def join(
    documents: Sequence[Any],
    delimiter: str = " ",
    pattern: str | None = None,
    str_replace: Mapping[str, str] | None = None,
) -> str:
    """One text of all documents, each shown through `pattern`, set apart by `delimiter`."""
    if not isinstance(delimiter, str):
        raise InputError("join wants text as its delimiter, its second argument")
    texts = show_all(documents, pattern, str_replace)
    if len(delimiter) * len(texts) + sum(map(len, texts)) > MAX_TEXT:
        raise LimitError(f"join would make a text of more than {MAX_TEXT:,} characters")
    return delimiter.join(texts)


def to_strings(
    items: Sequence[Any], pattern: str | None = None, str_replace: Mapping[str, str] | None = None
) -> list[str]:
    """A list of texts, one for each document or answer, shown through `pattern`; plain texts keep their own form."""
    if isinstance(items, str | Mapping) or not isinstance(items, Sequence):
        raise InputError("to_strings wants a list of documents, answers or texts")
    if not any(isinstance(item, str) for item in items):
        return show_all(items, pattern, str_replace)
    return [
        show(item, None if isinstance(item, str) else pattern, str_replace, index)
        for index, item in enumerate(items, start=1)
    ]


def to_list(value: Any, like: Sequence[Any] | None = None) -> list[Any]:
    """`value` as many times as `like` is long, so that each item of `like` gets a prompt of its own.

    In a shaped document `like` is the input `documents` if there is one. A list stays as it is.
    """
    if isinstance(value, list):
        return value
    if like is not None and (isinstance(like, str | Mapping) or not isinstance(like, Sequence)):
        raise InputError("to_list wants a list as its second argument")
    return [value] * (1 if like is None else len(like))


@dataclass(frozen=True, slots=True)
class Function:
    """One shaping function, with what the editor and the reference page show of it."""

    name: str
    call: Callable[..., Any]
    example: str

    @property
    def signature(self) -> str:
        """`join(documents, delimiter=' ', pattern=None, str_replace=None)`"""
        names = [str(parameter.replace(annotation=inspect.Parameter.empty)) for parameter in self.parameters]
        return f"{self.name}({', '.join(names)})"

    @property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        return tuple(inspect.signature(self.call).parameters.values())

    @property
    def summary(self) -> str:
        """The first sentence of its documentation."""
        return (self.call.__doc__ or "").strip().split("\n", 1)[0]

    def to_dict(self) -> dict[str, str]:
        return {"name": self.name, "signature": self.signature, "summary": self.summary, "example": self.example}


def text(value: Any) -> str:
    """The value as text; documents give their content."""
    if isinstance(value, Mapping) and ("content" in value or "answer" in value):
        return show(value)
    return print_value(value)


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        function.name: function
        for function in (
            Function("join", join, r"{join(documents, '\n', '[$idx] $content', {'[': '(', ']': ')'})}"),
            Function("to_strings", to_strings, "{to_strings(documents, '$title: $content')}"),
            Function("to_list", to_list, "{to_list(query)}"),
            Function("document_sentences", split_documents, "{document_sentences(documents)}"),
            Function("response_sentences", split_response, "{response_sentences(answer)}"),
            Function("str", text, "{str(count)}"),
        )
    }
)


def describe_nearest(name: str, names: Sequence[str]) -> str:
    """Return the end of a message about an unknown name: the likely one, or all known ones."""
    suggestion = suggestions.find_likely_name(name, names)
    return f"did you mean `{suggestion}`?" if suggestion else f"there are {', '.join(sorted(names))}"
