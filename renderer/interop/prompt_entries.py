"""The texts in a YAML, JSON or TOML file of no known format, and which of them are prompts.

A text is taken for a prompt by its key and length. The texts of a mapping under the keys of a conversation, such as
`system` and `user`, are one prompt. What only describes a prompt, such as `description` or `source`, is none.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from promptuary.renderer.interop.placeholder_patterns import DOUBLE, SINGLE
from promptuary.renderer.interop.source_file import SourceFile, TaggedValue
from promptuary.renderer.interop.template_builder import ROLES

__all__ = ["Path", "PromptEntry", "find_entries", "holds_collection"]

_PROMPT_KEY = re.compile(
    r"prompt|template|instruct|system|message|content|^text$|^goal$|backstory|expected_output|^role$|^task$|^act$",
    re.IGNORECASE,
)
_PROMPTS_KEY = re.compile(r"(?:prompts|templates)$", re.IGNORECASE)
_TURN = re.compile(
    r"(?P<role>system|developer|user|human|assistant)(?:[_-]?(?:prompt|template|message|instructions?|content))?",
    re.IGNORECASE,
)
_ABOUT = frozenset(("description", "source", "author", "authors", "license", "url", "notes", "comment"))
_MIN_NAMED_LENGTH = 20
_MIN_LENGTH = 80
_MIN_UNSPACED_LENGTH = 40  # characters of a text in a script that has no spaces between words
_IDENTIFIER = re.compile(r"[a-z_][A-Za-z0-9_.-]*")
_STRUCTURED = (".json", ".jsonl", ".yaml", ".yml", ".toml", ".prompt")
Path = tuple[str, ...]


@dataclass(frozen=True)
class PromptEntry:
    """A value of the file: its path, its text or its messages (or another scalar), and whether it is a prompt.

    `about` is the mapping in which it is: there its name, description and settings may be too.
    """

    path: Path
    value: Any
    is_prompt: bool
    about: Mapping[str, Any] = field(default_factory=dict)

    def has_placeholder(self) -> bool:
        """Whether a text has braces around a name, which makes a short one a prompt beside others."""
        text = self.value
        if not isinstance(text, str) or len(text) < _MIN_NAMED_LENGTH or len(text.split()) < 4:
            return False
        return self.path[-1:] != ("description",) and bool(DOUBLE.search(text) or SINGLE.search(text))


def holds_collection(source: SourceFile) -> bool:
    """Whether a file's value has a prompt in it.

    A text without the suffix of such a file may be prose in lines such as `Task: sum up`, which YAML reads as a mapping
    too. So it needs keys in the form of identifiers, and a conversation or a value that isn't on one line with its key.
    """
    value = source.value
    if not isinstance(value, dict | list) or not any(entry.is_prompt for entry in find_entries(value)):
        return False
    if source.suffix in _STRUCTURED or source.text.lstrip()[:1] in ("{", "[") or isinstance(value, list):
        return True
    is_marked = bool(_list_turns(value)) or any(map(_is_nested, value.values()))
    return is_marked and all(map(_IDENTIFIER.fullmatch, value))


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list) or (isinstance(value, str) and "\n" in value)


def find_entries(value: Any, path: Path = (), about: Mapping[str, Any] | None = None) -> Iterator[PromptEntry]:
    """Yield each text, conversation and other scalar with its path."""
    about = about or {}
    if isinstance(value, str):
        yield PromptEntry(path, value, _is_prompt(path, value), about)
    elif isinstance(value, list) and (messages := _convert_to_messages(value)):
        yield PromptEntry(path, messages, True, about)
    elif isinstance(value, dict):
        yield from _find_in_mapping(value, path)
    elif isinstance(value, list):
        for number, item in enumerate(value, start=1):
            label = item.get("name") or item.get("task") or item.get("id") if isinstance(item, dict) else None
            yield from find_entries(item, (*path, label if isinstance(label, str) else str(number)))
    elif value is not None:
        yield PromptEntry(path, value, False, about)


def _find_in_mapping(value: Mapping[str, Any], path: Path) -> Iterator[PromptEntry]:
    turns = _list_turns(value)
    if turns:
        messages = [{"role": role, "content": value[key]} for key, role in turns.items()]
        yield PromptEntry(
            path, sorted(messages, key=lambda each: each["role"] not in ("system", "developer")), True, value
        )
    has_prompt = bool(turns) or any(_PROMPT_KEY.search(key) and isinstance(item, str) for key, item in value.items())
    is_seed = isinstance(value.get("value"), str) and ("data_type" in value or "parameters" in value)
    for key, item in value.items():
        if key in turns:
            continue
        if isinstance(item, str) and key in _ABOUT and (has_prompt or is_seed):
            yield PromptEntry((*path, key), item, False, value)
        elif is_seed and key == "value":  # a seed prompt of PyRIT
            yield PromptEntry((*path, key), item, len(item.split()) > 3, value)
        else:
            yield from find_entries(item, (*path, key), value)


def _list_turns(value: Mapping[str, Any]) -> dict[str, str]:
    """The keys of a conversation with their roles: at least one of the system and one of the user; empty for others."""
    turns: dict[str, str] = {}
    for key, item in value.items():
        if isinstance(item, str) and item.strip() and (match := _TURN.fullmatch(key)):
            turns[key] = match["role"].lower()
    roles = list(turns.values())
    is_pair = {"system", "developer"}.intersection(roles) and {"user", "human"}.intersection(roles)
    return turns if is_pair and len(set(roles)) == len(roles) else {}


def _is_prompt(path: Path, text: str) -> bool:
    if len(text.split()) < 4 and len(text) < _MIN_UNSPACED_LENGTH:
        return False
    key, *above = [step for step in reversed(path) if not step.isdigit()] or [""]
    is_named = _PROMPT_KEY.search(key) or _PROMPTS_KEY.search(above[0] if above else "")
    return len(text) >= (_MIN_NAMED_LENGTH if is_named else _MIN_LENGTH)


def _convert_to_messages(value: list[Any]) -> list[dict[str, Any]]:
    """The messages of a list of mappings with content and a role, or a type that is a role; empty for other lists."""
    messages = []
    for item in value:
        if not isinstance(item, dict) or isinstance(item, TaggedValue):
            return []
        role = item.get("role") or item.get("type")
        if role not in (*ROLES, "bot", "human", "ai") or not isinstance(item.get("content"), str) or len(item) > 2:
            return []
        messages.append({"role": role, "content": item["content"]})
    return messages
