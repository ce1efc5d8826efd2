"""A rendered prompt: its parts, what was cut from it, its stamp, and the forms it can be converted to."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NotRequired, Protocol, TypedDict, cast

from promptuary.renderer.errors import MissingVocabularyError
from promptuary.renderer.part import Counts, Part

__all__ = ["Cut", "Prompt", "Render", "RenderedPrompt", "Stamp"]


@dataclass(frozen=True, slots=True)
class Cut:
    """A part that truncation removed or shortened: its index in the template's order, the tokens saved, and why."""

    name: str
    index: int
    tokens: int
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "index": self.index, "tokens": self.tokens, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a log line needs to identify the prompt. `name` and `version` are None for a document without them."""

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
    """How a Prompt is converted for a model call; computed on demand, since most callers need one form."""

    def messages(self, parts: Sequence[Part]) -> list[dict[str, Any]]: ...
    def text(self, parts: Sequence[Part]) -> str: ...
    def tokens(self, parts: Sequence[Part]) -> list[int]: ...
    def input_tokens(self, part: Part) -> int: ...
    def stamp(self, parts: Sequence[Part]) -> Stamp: ...


class RenderedPrompt(TypedDict):
    """The JSON of a prompt, the same for the API, the client and the pages, with the key of the requested target."""

    target: Literal["messages", "text", "tokens"]
    messages: NotRequired[list[dict[str, Any]]]
    text: NotRequired[str]
    tokens: NotRequired[list[int]]
    parts: list[dict[str, Any]]
    token_count: int | None
    token_limit: int | None
    reserve: int
    tokenizer: dict[str, Any]
    cut: list[dict[str, Any]]
    ignored: list[str]
    settings: Any
    model: str | None
    tools: list[Any]
    stamp: dict[str, Any]


@dataclass(frozen=True, repr=False)
class Prompt:
    """A rendered prompt.

    `tokenizer` is `{"name": …, "revision": …, "exact": bool}`. `ignored` names the given data that the document doesn't
    declare. `token_limit` is None without a limit. `counts` are the tokens, possibly not counted yet.
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
        """Describe the prompt without its content, because a repr ends up in logs."""
        cut = f", {len(self.cut)} cut" if self.cut else ""
        model = f" for {self.model}" if self.model else ""
        return f"<{type(self).__name__}{model}: {len(self.parts)} part{'' if len(self.parts) == 1 else 's'}{cut}>"

    @property
    def token_count(self) -> int:
        """`len(tokens)`: the parts and the profile's chat markup.

        A prompt that is certain to fit is counted on first access. Raises MissingVocabularyError if the vocabulary
        isn't available.
        """
        return self.counts.total

    @cached_property
    def stamp(self) -> Stamp:
        """Name, version and digests, for logs and request metadata."""
        return self.renderer.stamp(self.parts)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """`[{"role": …, "content": …}]`, in the form that the profile's model family accepts."""
        return self.renderer.messages(self.parts)

    @property
    def text(self) -> str:
        """One string: the contents concatenated, or with the profile's chat markup."""
        return self.renderer.text(self.parts)

    @property
    def tokens(self) -> list[int]:
        """The token ids of the whole prompt."""
        return self.renderer.tokens(self.parts)

    def to_dict(self, target: Literal["messages", "text", "tokens"] = "messages") -> RenderedPrompt:
        """Return the API's JSON: the requested target, the parts with their spans, the counts and what was cut.

        If a prompt that fits can't be counted, its counts are None and `tokenizer` says why under `missing`.
        """
        try:
            total: int | None = self.token_count
            missing = {}
        except MissingVocabularyError as error:
            total, missing = None, {"missing": error.message}
        fields = {
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
        return cast("RenderedPrompt", fields)  # the keys depend on the target

    def _part(self, part: Part, is_counted: bool) -> dict[str, Any]:
        if not is_counted:
            return {**part.to_dict(is_counted=False), "input_tokens": None}
        return {**part.to_dict(), "input_tokens": self.renderer.input_tokens(part)}
