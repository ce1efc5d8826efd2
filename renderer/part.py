"""A part of a prompt: its content, where each stretch of it came from, and its token count, possibly computed later.

A prompt that is certain to fit its limit is returned uncounted, so getting its text requires no vocabulary.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self

__all__ = ["Content", "Counts", "Frame", "Mark", "Part", "Site", "Span"]

Content = str | list[Any]


@dataclass(frozen=True, slots=True)
class Site:
    """A `{{ … }}` in the document: its place (1-based) and its text."""

    expression: str
    line: int
    column: int
    kind: Literal["input", "fragment"] = "input"
    names: frozenset[str] = field(default=frozenset(), compare=False)
    """The inputs that may reach its output; known only if the document declares an untrusted one."""
    indented: bool = field(default=False, compare=False)
    """Whether its last filter is `indent`, which authors use to match the indentation of a YAML block."""


class Mark(NamedTuple):
    """The compact form of a Span: `site` printed content[start:end]."""

    start: int
    end: int
    site: Site


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a part's content that isn't the author's text.

    `start` and `end` are code point offsets in the content; `line` and `column` are those of the `{{ }}` in the
    document.
    """

    start: int
    end: int
    expression: str
    line: int
    column: int
    kind: Literal["input", "fragment"] = "input"

    def to_dict(self) -> dict[str, Any]:
        return {
            "start": self.start,
            "end": self.end,
            "expression": self.expression,
            "line": self.line,
            "column": self.column,
            "kind": self.kind,
        }


@dataclass(frozen=True, slots=True)
class Frame:
    """The layout of a part in a format that defines its own.

    `before` and `after` are its markup if the profile has none. With `glue`, as a message the part continues the
    message before it, separated by that text. A part that isn't `spoken` is in the text only, not in the messages.
    """

    before: str = ""
    after: str = ""
    glue: str | None = None
    spoken: bool = True


class Counts:
    """The tokens of one prompt: each part's, and the whole with its chat markup. Thread-safe.

    Takes either the total, or `count`, which returns the total and the parts' counts on demand.
    """

    __slots__ = ("_count", "_found", "_total")

    def __init__(self, total: int | None = None, count: Callable[[], tuple[int, list[int]]] | None = None) -> None:
        if (total is None) == (count is None):
            raise ValueError("give either the total or what counts it")
        self._total = total
        self._count = count
        self._found: list[int] = []

    @property
    def known(self) -> int | None:
        """The total, or None if it hasn't been counted yet."""
        return self._total

    @property
    def total(self) -> int:
        """The total, counted now if necessary. Raises TokenizerError (MissingVocabularyError) if that fails."""
        count = self._count
        if count is not None:
            self._total, self._found = count()
            self._count = None
        return self._total or 0

    def of_part(self, index: int) -> int:
        """Return the tokens of one part, counted now if necessary. Raises as `total`."""
        if self._count is not None:
            self.total  # noqa: B018  # counts all of them
        return self._found[index]


class _TokensWhenAsked:
    """The placeholder behind `part.token_count` while the part is uncounted: it counts the part's whole prompt."""

    def __get__(self, part: "Part | None", kind: type["Part"] | None = None) -> int | None:
        counter = None if part is None else part.__dict__.get("_counted_by")
        if part is None or counter is None:
            return None
        counts, index = counter
        tokens: int = counts.of_part(index)
        part.__dict__["token_count"] = tokens
        return tokens


@dataclass(frozen=True, init=False)
class Part:
    """One piece of a prompt.

    `content` is text, or a list of content items in OpenAI form. `line` is where the part starts in the document.
    `shrink` and `min_tokens` say how truncation may shorten the content instead of dropping the part. `token_count` is
    None before the prompt is built; afterwards it is computed on first access, unless it was needed earlier. `label` is
    the part's name in errors, with `…` for each value printed into it.
    """

    name: str
    role: str = "user"
    content: Content = ""
    truncation_priority: int = 0
    token_count: int | None = field(default=_TokensWhenAsked(), repr=False)  # type: ignore[assignment]  # a descriptor
    input_tokens: int | None = None
    marks: tuple[Mark, ...] = field(default=(), repr=False, compare=False)
    shrink: Literal["start", "middle", "end"] | None = None
    min_tokens: int = 0
    line: int | None = field(default=None, compare=False)
    frame: Frame | None = field(default=None, repr=False)
    label: str = field(default="", repr=False, compare=False)

    def __init__(  # noqa: PLR0913, PLR0917 -- one argument a field
        self,
        name: str,
        role: str = "user",
        content: Content = "",
        truncation_priority: int = 0,
        token_count: int | None = None,
        input_tokens: int | None = None,
        marks: tuple[Mark, ...] = (),
        shrink: Literal["start", "middle", "end"] | None = None,
        min_tokens: int = 0,
        line: int | None = None,
        frame: Frame | None = None,
        label: str = "",
    ) -> None:
        # Written out, because a chat has thousands of parts and the generated method is several times slower.
        fields = self.__dict__
        fields["name"] = name
        fields["role"] = role
        fields["content"] = content
        fields["truncation_priority"] = truncation_priority
        fields["token_count"] = token_count
        fields["input_tokens"] = input_tokens
        fields["marks"] = marks
        fields["shrink"] = shrink
        fields["min_tokens"] = min_tokens
        fields["line"] = line
        fields["frame"] = frame
        fields["label"] = label or name

    def uncounted(self, counts: Counts, index: int) -> Self:
        """Return the same part with its token count computed by `counts` on demand."""
        copy = object.__new__(type(self))
        fields = copy.__dict__
        fields.update(self.__dict__)
        fields["_counted_by"] = counts, index
        del fields["token_count"]
        return copy

    def __getstate__(self) -> dict[str, Any]:
        # The counter stays in this process, so a copied or pickled part contains its count.
        state = {**self.__dict__, "token_count": self.token_count}
        state.pop("_counted_by", None)
        return state

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where the content came from values, sorted by start; empty for a list of content items."""
        return tuple(
            Span(mark.start, mark.end, mark.site.expression, mark.site.line, mark.site.column, mark.site.kind)
            for mark in self.marks
            if mark.end > mark.start
        )

    def to_dict(self, *, is_counted: bool = True) -> dict[str, Any]:
        return {
            "name": self.name,
            "role": self.role,
            "content": self.content,
            "truncation_priority": self.truncation_priority,
            "token_count": self.token_count if is_counted else None,
            "input_tokens": self.input_tokens,
            "spans": [span.to_dict() for span in self.spans],
            "line": self.line,
        }
