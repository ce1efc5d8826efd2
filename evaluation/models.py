"""Models that answer a prompt: recorded replies, an echo, and a cache in front of any model."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from promptuary.evaluation.errors import ModelError
from promptuary.renderer.digest import encode_canonical_json
from promptuary.renderer.files import make_private_folder, write_atomically

__all__ = ["CachingModel", "EchoModel", "Model", "ModelInput", "RecordedModel", "Reply", "prompt_digest"]


@dataclass(frozen=True)
class Reply:
    """A model's answer. Counts are tokens as reported by the provider, None if it didn't report them.

    `faults` are the earlier failed attempts, a sentence each; `spent` is what those may cost, as in `ModelError.spent`.
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None
    cached: bool = False
    faults: tuple[str, ...] = ()
    spent: "tuple[Reply, ...]" = ()


class ModelInput(Protocol):
    """The prompt sent to a model: a `renderer.Prompt`, or anything else with messages."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """In OpenAI form."""
        ...


class Model(Protocol):
    """Anything with a name that answers a prompt under settings (any JSON)."""

    name: str

    def complete(self, prompt: ModelInput, settings: Mapping[str, Any]) -> Reply:
        """Return the reply or raise ModelError."""
        ...


def prompt_digest(prompt: ModelInput) -> str:
    """The digest of a prompt, as `sha256:…` over its messages in canonical JSON."""
    return "sha256:" + hashlib.sha256(encode_canonical_json(prompt.messages)).hexdigest()


class EchoModel:
    """Answers with the last message's text, for trying things out without a model."""

    name = "echo"

    def complete(self, prompt: ModelInput, settings: Mapping[str, Any]) -> Reply:
        """The last part's content."""
        del settings
        content = prompt.messages[-1]["content"] if prompt.messages else ""
        return Reply(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))


class RecordedModel:
    """Answers from recorded replies, by prompt digest. A prompt without a recording is an error."""

    def __init__(self, replies: Mapping[str, str], *, name: str = "recorded") -> None:
        self.name, self._replies = name, dict(replies)

    def complete(self, prompt: ModelInput, settings: Mapping[str, Any]) -> Reply:
        """The recorded reply."""
        del settings
        digest = prompt_digest(prompt)
        if digest not in self._replies:
            raise ModelError(f"no reply was recorded for the prompt {digest}")
        return Reply(self._replies[digest])


class CachingModel:
    """Caches another model's replies in a folder, by prompt digest, model and settings; safe across processes."""

    def __init__(self, model: Model, folder: Path) -> None:
        self.name, self._model, self._folder = model.name, model, folder
        make_private_folder(folder)

    def complete(self, prompt: ModelInput, settings: Mapping[str, Any]) -> Reply:
        """Return the cached reply, marked cached, or ask the model and cache its reply."""
        identity = {"prompt": prompt_digest(prompt), "model": self.name, "settings": dict(settings)}
        path = self._folder / f"{hashlib.sha256(encode_canonical_json(identity)).hexdigest()}.json"
        try:
            return Reply(**{**json.loads(path.read_bytes()), "cached": True, "faults": (), "spent": ()})
        except (OSError, ValueError, TypeError):
            pass  # not cached, or an unreadable file: ask, and write the file again
        reply = self._model.complete(prompt, settings)
        content = json.dumps(asdict(replace(reply, spent=())), ensure_ascii=False).encode("utf-8")
        write_atomically(path, content, mode=0o600)  # a reply may repeat a private prompt
        return reply
