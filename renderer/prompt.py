"""The rendered result: parts with the origin of their text, what was cut, and the prompt around them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, Self

from promptuary.renderer.errors import MissingVocabularyError
from promptuary.renderer.output.token_counts import Counts

__all__ = ["Content", "Cut", "Frame", "Mark", "Part", "Prompt", "Render", "Site", "Span", "Stamp"]

Content = str | list[Any]


@dataclass(frozen=True, slots=True)
class Site:
    """A `{{ … }}` of the author's: where it stands in the document (1-based) and what it says."""

    expression: str
    line: int
    column: int
    kind: Literal["input", "fragment"] = "input"
    names: frozenset[str] = field(default=frozenset(), compare=False)
    """The inputs that may reach what it prints; known only where the document declares an untrusted one."""
    indented: bool = field(default=False, compare=False)
    """Whether its last filter is `indent`, by which authors meet the indentation of a YAML block."""


class Mark(NamedTuple):
    """The compact form of a Span: content[start:end] was printed by `site`."""

    start: int
    end: int
    site: Site


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a part's content that did not come from the author's text.

    `start` and `end` are code point offsets in the content; `line` and `column` say where the `{{ }}` stands in the document.
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
    """How a part of a format with a layout of its own stands in the prompt.

    `before` and `after` are its markup where the profile has none. With `glue`, as a message the part goes on with the
    message before it, that text between them. What is not `spoken` stands in the text only and is no message.
    """

    before: str = ""
    after: str = ""
    glue: str | None = None
    spoken: bool = True


class _TokensWhenAsked:
    """What `part.token_count` finds while the part is not counted: it counts the part's whole prompt."""

    def __get__(self, part: "Part | None", kind: type["Part"] | None = None) -> int | None:
        found = None if part is None else part.__dict__.get("_counted_by")
        if part is None or found is None:
            return None
        counts, index = found
        tokens: int = counts.of_part(index)
        part.__dict__["token_count"] = tokens
        return tokens


@dataclass(frozen=True, init=False)
class Part:
    """One piece of a prompt.

    `content` is text, or a list of content items in OpenAI form. `line` is where the part starts in the document.
    `shrink` and `min_tokens` say how truncation may shorten the content instead of dropping the part. `token_count` is
    None before the prompt is made; then it is counted when it is first asked for, unless it had to be counted already.
    `label` is what errors call the part: its name, with `…` for each value that the author printed into it.
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
        # Written out, as a chat has thousands of parts and the generated method takes several times as long.
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
        """The same part, whose tokens are asked of `counts` when somebody wants them."""
        copy = object.__new__(type(self))
        fields = copy.__dict__
        fields.update(self.__dict__)
        fields["_counted_by"] = counts, index
        del fields["token_count"]
        return copy

    def __getstate__(self) -> dict[str, Any]:
        # What counts stays in this process: a part that is copied or sent elsewhere takes its count along.
        counted = {**self.__dict__, "token_count": self.token_count}
        counted.pop("_counted_by", None)
        return counted

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where the content came from values, in order of their start; none for a list of content items."""
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


@dataclass(frozen=True, slots=True)
class Cut:
    """A part that truncation removed or shortened: its place in the template's order, the tokens saved, and why."""

    name: str
    index: int
    tokens: int
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "index": self.index, "tokens": self.tokens, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a log line needs to find the prompt again. `name` and `version` are None for a document without them."""

    digest: str | None
    rendered_digest: str
    name: str | None = None
    version: int | None = None
    overridden: bool = False
    local_functions: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "version": self.version,
            "digest": self.digest,
            "rendered_digest": self.rendered_digest,
            "overridden": self.overridden,
            "local_functions": list(self.local_functions),
        }


class Render(Protocol):
    """How a Prompt becomes what a model call wants; computed when asked for, since most callers want one target."""

    def messages(self, parts: Sequence[Part]) -> list[dict[str, Any]]: ...
    def text(self, parts: Sequence[Part]) -> str: ...
    def tokens(self, parts: Sequence[Part]) -> list[int]: ...
    def input_tokens(self, part: Part) -> int: ...
    def stamp(self, parts: Sequence[Part]) -> Stamp: ...


@dataclass(frozen=True, repr=False)
class Prompt:
    """A rendered prompt.

    `tokenizer` is `{"name": …, "revision": …, "exact": bool}`. `ignored` names the given data that the document does not
    declare. `token_limit` is None when there is no limit. `counts` holds the tokens, perhaps not counted yet.
    """

    parts: tuple[Part, ...]
    counts: Counts = field(repr=False, compare=False)
    cut: tuple[Cut, ...]
    ignored: tuple[str, ...]
    tokenizer: dict[str, Any]
    token_limit: int | None
    reserve: int
    settings: Any
    model: str | None
    tools: tuple[Any, ...]
    profile: dict[str, Any] | None
    renderer: Render = field(repr=False, compare=False)

    def __repr__(self) -> str:
        """What it is made of, and never what it says: a repr ends in logs."""
        cut = f", {len(self.cut)} cut" if self.cut else ""
        model = f" for {self.model}" if self.model else ""
        return f"<{type(self).__name__}{model}: {len(self.parts)} part{'' if len(self.parts) == 1 else 's'}{cut}>"

    @property
    def token_count(self) -> int:
        """`len(tokens)`: the parts and the profile's chat markup.

        A prompt that surely fits is counted when this is first asked for. Raises MissingVocabularyError where the
        vocabulary can't be had.
        """
        return self.counts.total

    @cached_property
    def stamp(self) -> Stamp:
        """Name, version and digests, for logs and request metadata."""
        return self.renderer.stamp(self.parts)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """`[{"role": …, "content": …}]`, in the form the profile's model family accepts."""
        return self.renderer.messages(self.parts)

    @property
    def text(self) -> str:
        """One string: the contents joined by nothing, or with the profile's chat markup."""
        return self.renderer.text(self.parts)

    @property
    def tokens(self) -> list[int]:
        """Token ids of the whole prompt."""
        return self.renderer.tokens(self.parts)

    def to_dict(self, target: Literal["messages", "text", "tokens"] = "messages") -> dict[str, Any]:
        """The API's JSON: the target asked for, the parts with their spans, the counts and what was cut.

        Where a prompt that fits can't be counted, its counts are None and `tokenizer` says why under `missing`.
        """
        try:
            total: int | None = self.token_count
            missing = {}
        except MissingVocabularyError as error:
            total, missing = None, {"missing": error.message}
        return {
            "target": target,
            target: getattr(self, target),
            "parts": [self._part(part, total is not None) for part in self.parts],
            "token_count": total,
            "token_limit": self.token_limit,
            "reserve": self.reserve,
            "tokenizer": {**self.tokenizer, **missing},
            "cut": [cut.to_dict() for cut in self.cut],
            "ignored": list(self.ignored),
            "settings": self.settings,
            "model": self.model,
            "tools": list(self.tools),
            "stamp": self.stamp.to_dict(),
        }

    def _part(self, part: Part, is_counted: bool) -> dict[str, Any]:
        if not is_counted:
            return {**part.to_dict(is_counted=False), "input_tokens": None}
        return {**part.to_dict(), "input_tokens": self.renderer.input_tokens(part)}
