"""Prompts in JavaScript and TypeScript code: texts assigned to names and keys, returned ones, and messages.

The code is read as tokens and never run. `${name}` in a template literal is an input, and so is any other expression
there; a name that holds a text of the same file is replaced by it.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from promptuary.renderer.interop.imported import Difference, ImportedTemplate, LossError
from promptuary.renderer.interop.javascript_texts import JavaScriptTexts
from promptuary.renderer.interop.javascript_tokens import read_tokens
from promptuary.renderer.interop.placeholder_patterns import DOUBLE, SINGLE
from promptuary.renderer.interop.placeholder_syntax import find_syntax
from promptuary.renderer.interop.python_code import build_prompts
from promptuary.renderer.interop.python_messages import FoundMessage, FoundPrompt
from promptuary.renderer.interop.python_requests import SETTINGS
from promptuary.renderer.interop.python_texts import CodeText, join_texts
from promptuary.renderer.interop.quoted_text import is_javascript_string
from promptuary.renderer.interop.source_file import SourceFile

__all__ = ["KIND", "SUFFIXES", "is_javascript", "read_javascript"]

KIND = "javascript"
SUFFIXES = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".tsx")
# Possessive and atomic: `////` could be one comment or two, and trying each way takes exponential time.
_COMMENTS = r"\s*+(?>(?:(?://[^\n]*+|/\*.*?\*/)\s*+)*)(?:[\"']use [a-z]+[\"'];?\s*)?"
_WORDS = r"(?:export|const|let|var|import|async|function|class|interface|type|await|return)\b"
_FIRST_LINE = re.compile(rf"{_COMMENTS}(?:{_WORDS}|[\[{{(]|[\w$.]+[ \t]*(?:=(?!=)|\())", re.DOTALL)
_TEXT = re.compile(r"[=:(,\[]\s*\w*[`\"']|\breturn\s+`|=>\s*`")
_PROMPT_NAME = re.compile(r"prompt|template|instruct|system|message|persona|preamble", re.IGNORECASE)
_ROLES = ("system", "developer", "user", "human", "assistant", "ai", "tool", "placeholder")
_CLASSES = re.compile(r"(System|Human|User|AI|Assistant)Message(?:PromptTemplate)?")
_USER_KEYS = ("prompt", "user", "userPrompt")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?")  # Python reads no number of thousands of digits
_MIN_NAMED_LENGTH, _MIN_FILLED_LENGTH, _MIN_LENGTH = 20, 5, 80  # characters; the second, of a text around expressions
_MAX_NAMED = 10


def is_javascript(source: SourceFile) -> bool:
    """Whether a file is JavaScript by its suffix, or a text without one begins like it and has a prompt."""
    if source.suffix in SUFFIXES:
        return True
    if source.suffix not in ("", ".txt"):
        return False
    is_string = is_javascript_string(source.text)
    if not is_string and not (_FIRST_LINE.match(source.text) and _TEXT.search(source.text)):
        return False
    if source.text.lstrip()[:1] in ("[", "{") and ("`" not in source.text or source.value is not None):
        return False
    try:
        return bool(_find_prompts(source.text)[0])
    except LossError:
        return False


def read_javascript(source: SourceFile) -> list[ImportedTemplate]:
    """Read one template per prompt. Raises LossError with the line."""
    prompts, finder = _find_prompts(source.text)
    if not prompts:
        raise LossError("no text in the code looks like a prompt")
    for prompt in prompts:
        prompt.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", prompt.name)
    first, *rest = build_prompts(prompts, finder.texts.names, source.stem, KIND)
    others = [other.name for other in finder.others if other not in prompts]
    if not others:
        return [first, *rest]
    more = f" and {len(others) - _MAX_NAMED} more" if len(others) > _MAX_NAMED else ""
    left_out = Difference(f"left out, as they are not prompts: {', '.join(others[:_MAX_NAMED])}{more}")
    return [replace(first, differences=(left_out, *first.differences)), *rest]


def _find_prompts(text: str) -> tuple[list[FoundPrompt], "_Finder"]:
    if is_javascript_string(text):
        text = f"prompt = {text}"
    tokens, _ = read_tokens(text)
    finder = _Finder(text, JavaScriptTexts(tokens))
    finder.read()
    return finder.choose(), finder


class _Finder:
    def __init__(self, text: str, texts: JavaScriptTexts) -> None:
        self.text = text
        self.texts = texts
        self.named: list[FoundPrompt] = []
        self.others: list[FoundPrompt] = []
        self.name = "prompt"

    def choose(self) -> list[FoundPrompt]:
        """The prompts by their names and messages; without any, the long texts."""
        prompts = self.named or self.others
        return [prompt for prompt in prompts if prompt.name not in self.texts.used or isinstance(prompt.content, list)]

    def read(self) -> None:
        index = 0
        while index < len(self.texts.tokens):
            index = self._read_at(index)

    def _read_at(self, index: int) -> int:
        """Read what is at a token, and return the index at which to go on."""
        source, kind = self.texts.source_at(index), self.texts.kind_at(index)
        if source == "[" and (messages := self._read_messages(index)):
            self._add_messages(index, messages)
            return self.texts.pairs[index] + 1
        if source == "{" and (turns := self._read_turns(index)):
            self._add_messages(index, turns, self._read_settings(index))
            return self.texts.pairs[index] + 1
        if kind == "name" and source == "function" and self.texts.kind_at(index + 1) == "name":
            self.name = self.texts.source_at(index + 1)
        elif source == "=" and (name := self._find_assigned_name(index)):
            self.name = name
            return self._take_text(index + 1, name, is_constant=True)
        elif source == ":" and (key := self._find_key_before(index)):
            return self._take_text(index + 1, key)
        elif source in ("return", "=>"):
            return self._take_text(index + 1, self.name)
        elif source == "fromTemplate" and (read := self.texts.read_text(index + 2)):
            self._add(index, self.name, _read_braces(read[0]), is_named=True)
            return read[1]
        return index + 1

    def _take_text(self, index: int, name: str, *, is_constant: bool = False) -> int:
        while self.texts.source_at(index) == "(":
            index += 1
        used = set(self.texts.used)
        read = self.texts.read_text(index)
        alone = self.texts.read_name(index)
        if read is None or (alone and alone[1] == read[1]):  # only another name for a text
            self.texts.used = used
            return index
        text, end = read
        if is_constant:
            self.texts.texts[name] = text
        if not self._add(index, name, text, is_named=_PROMPT_NAME.search(name) is not None):
            self.texts.used = used
        return end

    def _add(self, index: int, name: str, text: CodeText, *, is_named: bool) -> bool:
        """Add a text that may be a prompt, and return whether its name and length say that it is one."""
        literal = text.literal.strip()
        is_long = len(literal) >= _MIN_NAMED_LENGTH and len(literal.split()) > 3
        is_named = is_named or (len(literal) >= _MIN_LENGTH and bool(SINGLE.search(literal) or DOUBLE.search(literal)))
        if is_named and (is_long or (text.pieces and len(literal) >= _MIN_FILLED_LENGTH)):
            self.named.append(FoundPrompt(name, self._find_line(index), text))
            return True
        if len(literal) >= _MIN_LENGTH and len(literal.split()) > 11 and not literal.startswith("<"):
            self.others.append(FoundPrompt(name, self._find_line(index), text))
        return False

    def _add_messages(
        self, index: int, messages: list[FoundMessage | str], settings: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        self.named.append(FoundPrompt(self.name, self._find_line(index), messages, dict(settings)))

    def _find_line(self, index: int) -> int:
        return self.text.count("\n", 0, self.texts.tokens[index].start) + 1

    def _find_assigned_name(self, index: int) -> str:
        """The name before `=`, which may have a type: `const prompt: string =`."""
        for step in range(index - 1, max(index - 14, -1), -1):
            if self.texts.source_at(step - 1) in ("const", "let", "var"):
                return self.texts.source_at(step) if self.texts.kind_at(step) == "name" else ""
            if self.texts.source_at(step) in (";", "=", "{", "("):
                break
        return self.texts.source_at(index - 1) if self.texts.kind_at(index - 1) == "name" else ""

    def _find_key_before(self, index: int) -> str:
        """The key before `:` in an object; empty elsewhere, as in a condition or a type."""
        if self.texts.source_at(index - 2) not in ("{", ",") or self.texts.kind_at(index - 1) not in ("name", "text"):
            return ""
        return self.texts.read_constant(index - 1) or self.texts.source_at(index - 1)

    def _read_fields(self, index: int) -> dict[str, int]:
        """The keys of the object at a brace, each with the index of its value."""
        fields: dict[str, int] = {}
        position, end = index + 1, self.texts.pairs.get(index, -1)
        while position < end:
            key = self.texts.read_constant(position) or self.texts.source_at(position)
            is_key = self.texts.kind_at(position) in ("name", "text")
            if is_key and self.texts.source_at(position + 1) == ":":
                fields[key] = position + 2
            elif is_key and self.texts.source_at(position + 1) in (",", "}"):
                fields[key] = position  # `{ content }`
            while position < end and self.texts.source_at(position) != ",":
                position = self.texts.pairs.get(position, position) + 1
            position += 1
        return fields

    def _read_turns(self, index: int) -> list[FoundMessage | str]:
        """The messages of a call: `{ system: "…", prompt: `…` }` or `{ messages: […] }`; empty for other objects."""
        fields = self._read_fields(index)
        system = next((fields[key] for key in ("system", "systemPrompt", "instructions") if key in fields), None)
        user = next((fields[key] for key in _USER_KEYS if key in fields), None)
        first = self._read_content(system)
        start: list[FoundMessage | str] = [("system", first)] if first else []
        if user is None and "messages" in fields:
            rest = self._read_messages(fields["messages"])
            return [*start, *rest] if rest else []
        second = self._read_content(user) if first else None
        return [*start, ("user", second)] if second else []

    def _read_settings(self, index: int) -> dict[str, Any]:
        """The model and the settings of a call, as far as they are constants."""
        settings: dict[str, Any] = {}
        for key, value in self._read_fields(index).items():
            source = self.texts.source_at(value)
            if key not in SETTINGS or self.texts.source_at(value + 1) not in (",", "}"):
                continue
            if constant := self.texts.read_constant(value):
                settings[key] = constant
            elif _NUMBER.fullmatch(source):
                settings[key] = float(source) if "." in source else int(source)
        return settings

    def _read_items(self, index: int) -> CodeText | None:
        """The text of a message's content that is a list of items; None if one of them isn't a text."""
        item_texts: list[CodeText] = []
        position, end = index + 1, self.texts.pairs.get(index, -1)
        while position < end:
            fields = self._read_fields(position) if self.texts.source_at(position) == "{" else {}
            text = self._read_content(fields.get("text"))
            if text is None or self.texts.read_constant(fields.get("type", -1)) not in ("text", "input_text"):
                return None
            item_texts.append(text)
            position = self.texts.pairs.get(position, position) + 2
        return join_texts(item_texts) if item_texts else None

    def _read_content(self, index: int | None) -> CodeText | None:
        if index is not None and self.texts.source_at(index) == "[" and (items := self._read_items(index)):
            return items
        read = None if index is None else self.texts.read_text(index) or self.texts.read_name(index)
        return read[0] if read and (read[0].pieces or (read[0].template or "").strip()) else None

    def _read_messages(self, index: int) -> list[FoundMessage | str]:
        """The messages of the list at a bracket; empty if it has anything else, or no text."""
        end = self.texts.pairs.get(index, -1) if self.texts.source_at(index) == "[" else -1
        is_chat = [self.texts.source_at(index - step) for step in (1, 2)] == ["(", "fromMessages"]
        messages: list[FoundMessage | str] = []
        position = index + 1
        while position < end:
            message = self._read_message(position, is_chat=is_chat)
            if message is None:
                return []
            messages.append(message)
            while position < end and self.texts.source_at(position) != ",":
                position = self.texts.pairs.get(position, position) + 1
            position += 1
        return messages if any(not isinstance(message, str) for message in messages) else []

    def _read_message(self, index: int, *, is_chat: bool) -> FoundMessage | str | None:
        source = self.texts.source_at(index)
        if source == "...":  # the turns so far
            return self.texts.source_at(index + 1) if self.texts.kind_at(index + 1) == "name" else None
        if source == "{":
            fields = self._read_fields(index)
            role = self.texts.read_constant(fields.get("role", -1)).lower()
            return self._write_message(role, self._read_content(fields.get("content")), is_chat=is_chat)
        if source == "[":
            role = self.texts.read_constant(index + 1).lower()
            return self._write_message(role, self._read_content(index + 3), is_chat=is_chat)
        if source == "new":
            index += 1
        name = self.texts.source_at(index)
        kind = _CLASSES.fullmatch(name)
        if kind is None and name != "MessagesPlaceholder":
            return None
        while index < len(self.texts.tokens) and self.texts.source_at(index) != "(":
            index += 1
        if kind is None:
            return self.texts.read_constant(index + 1) or None
        return self._write_message(kind[1].lower(), self._read_content(index + 1), is_chat="Template" in name)

    def _write_message(self, role: str, text: CodeText | None, *, is_chat: bool) -> FoundMessage | str | None:
        if role not in _ROLES or text is None:
            return None
        if role == "placeholder":
            return text.literal.strip("{}") or None
        return role, _read_braces(text) if is_chat else text


def _read_braces(text: CodeText) -> CodeText:
    """A text of LangChain, whose names are in braces."""
    if text.template is None:
        return text
    return CodeText(text.template, language="str.format" if find_syntax(text.template) == "str.format" else "single")
