"""The forms a prompt can be had in, each computed when it is asked for."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from promptuary.renderer.output import targets
from promptuary.renderer.profiles import Profile
from promptuary.renderer.prompt import Part, Stamp
from promptuary.renderer.tokens.base import Tokenizer

__all__ = ["Forms"]


class Forms:
    """What a Prompt asks its targets and its stamp of; `origin` gives the stamp all but the rendered digest."""

    def __init__(self, profile: Profile | None, tokenizer: Tokenizer, origin: Callable[[], Stamp]) -> None:
        self._profile = profile
        self._tokenizer = tokenizer
        self._origin = origin

    def messages(self, parts: Sequence[Part]) -> list[dict[str, Any]]:
        return targets.messages(parts, self._profile)

    def text(self, parts: Sequence[Part]) -> str:
        return targets.text(parts, self._profile)

    def tokens(self, parts: Sequence[Part]) -> list[int]:
        return targets.tokens(parts, self._profile, self._tokenizer)

    def input_tokens(self, part: Part) -> int:
        return targets.input_tokens(part, self._tokenizer)

    def stamp(self, parts: Sequence[Part]) -> Stamp:
        turns = json.dumps([[part.role, part.content] for part in parts], ensure_ascii=False, separators=(",", ":"))
        return replace(self._origin(), rendered_digest="sha256:" + hashlib.sha256(turns.encode()).hexdigest())
