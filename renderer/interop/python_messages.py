"""Messages in Python code: lists of pairs or mappings, and library calls that take messages."""

import ast
import re
from dataclasses import dataclass, field
from typing import Any

from promptuary.renderer.interop.python_texts import CodeText, CodeTexts, find_called_name, join_texts

__all__ = ["FoundMessage", "FoundPrompt", "find_messages", "read_content"]

_CHAT_CALLS = ("ChatPromptTemplate", "from_messages")
_HISTORY_CALLS = ("MessagesPlaceholder",)
_IMAGES = ("image_url", "input_image", "image")
_EXPRESSIONS = ast.Name | ast.Attribute | ast.Call | ast.Subscript
FoundMessage = tuple[str, CodeText] | tuple[str, CodeText, tuple[CodeText, ...]]
"""A role as spelled in the code, the text, and the addresses of images."""


@dataclass(eq=False)
class FoundPrompt:
    """A prompt in the code: its name, its line, a text or messages, and the model and settings of its request."""

    name: str
    line: int
    content: CodeText | list[FoundMessage | str]
    settings: dict[str, Any] = field(default_factory=dict)


def find_messages(node: ast.expr, texts: CodeTexts, *, may_be_unknown: bool = False) -> list[FoundMessage | str]:
    """Return the messages of a list, or of a call with one; empty for anything else. A plain name is a history.

    A list of mappings has a text of its own in at least one of them, unless may_be_unknown is set.
    """
    if isinstance(node, ast.Call) and (
        find_called_name(node).endswith(_CHAT_CALLS) or find_called_name(node) == "from_messages"
    ):
        listed = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "messages")]
        return find_messages(listed[0], texts) if listed else []
    if not isinstance(node, ast.List | ast.Tuple) or not node.elts:
        return []
    before = len(texts.used)
    messages = [_read_message(item, texts) for item in node.elts]
    read_messages = [message for message in messages if message]
    is_written = (
        may_be_unknown
        or not all(isinstance(item, ast.Dict | ast.Starred) for item in node.elts)
        or any(not isinstance(message, str) and message[1].literal.strip() for message in read_messages)
    )
    if len(read_messages) == len(messages) and is_written:
        return read_messages
    del texts.used[before:]
    return []


def read_content(node: ast.expr | None, texts: CodeTexts) -> tuple[CodeText, tuple[CodeText, ...]] | None:
    """Return the text of a message and the addresses of its images; None if it has neither, or anything else."""
    if isinstance(node, ast.List | ast.Tuple):
        return _read_items(node, texts)
    text = texts.use_text(node)
    if text is None and isinstance(node, _EXPRESSIONS):
        text = texts.read_unknown(node)
    return (text, ()) if text is not None and (text.pieces or text.literal.strip()) else None


def _read_items(node: ast.List | ast.Tuple, texts: CodeTexts) -> tuple[CodeText, tuple[CodeText, ...]] | None:
    """Return the text and the images of a list of items of these two types; several texts are a line each."""
    item_texts: list[CodeText] = []
    images: list[CodeText] = []
    for item in node.elts:
        fields = _read_mapping(item)
        kind = texts.read_text(fields.get("type"))
        text = read_content(fields.get("text"), texts)
        address = _read_address(fields, texts)
        if kind is not None and kind.literal in _IMAGES and address is not None:
            images.append(address)
        elif text is not None:
            item_texts.append(text[0])
        else:
            return None
    return (join_texts(item_texts), tuple(images)) if item_texts or images else None


def _read_address(fields: dict[str, ast.expr], texts: CodeTexts) -> CodeText | None:
    value = fields.get("image_url") or fields.get("source")
    value = _read_mapping(value).get("url") if isinstance(value, ast.Dict) else value
    text = texts.read_text(value)
    return texts.read_unknown(value) if text is None and isinstance(value, _EXPRESSIONS) else text


def _read_mapping(node: ast.expr) -> dict[str, ast.expr]:
    if not isinstance(node, ast.Dict):
        return {}
    return {str(k.value): v for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant)}


def _read_message(node: ast.expr, texts: CodeTexts) -> FoundMessage | str | None:
    if isinstance(node, ast.Name) and node.id in texts.calls:
        texts.used.append(node.id)
        node = texts.calls[node.id]
    if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == 2:
        return _read_pair(node.elts[0], node.elts[1], texts)
    if isinstance(node, ast.Starred):
        return getattr(node.value, "id", getattr(node.value, "attr", "")) or None
    fields = _read_mapping(node)
    if isinstance(node, ast.Call):
        fields = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        if find_called_name(node) in _HISTORY_CALLS:
            name_text = texts.read_text(fields.get("variable_name") or (node.args[0] if node.args else None))
            return name_text.literal if name_text else None
        if (by_class := _read_message_class(node, fields, texts)) is not None:
            return by_class
    role = _read_role(texts.read_text(fields.get("role")), fields.get("role"))
    content = read_content(fields.get("content"), texts) if role else None
    return (role, *content) if content is not None else None


def _read_pair(first: ast.expr, second: ast.expr, texts: CodeTexts) -> FoundMessage | str | None:
    role, text = texts.read_text(first), texts.use_text(second)
    if role is None or not _is_role(role.literal):
        return None
    if text is None:
        return (role.literal, texts.read_unknown(second)) if isinstance(second, ast.Name | ast.Attribute) else None
    return text.literal.strip("{}") if role.literal == "placeholder" else (role.literal, text)


def _read_message_class(node: ast.Call, fields: dict[str, ast.expr], texts: CodeTexts) -> FoundMessage | None:
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    name = (
        owner.id
        if isinstance(owner, ast.Name) and find_called_name(node) == "from_template"
        else find_called_name(node)
    )
    match = re.match(r"(System|Human|User|AI|Assistant)Message", name)
    if match is None:
        return None
    value = fields.get("content") or fields.get("template") or (node.args[0] if node.args else None)
    text = texts.use_text(value)
    is_template = "Template" in name
    if text is None and isinstance(value, ast.Name | ast.Attribute):
        text = texts.read_unknown(value)
    if text is None:
        return None
    language = text.language or ("" if is_template else "none")
    return match[1].lower(), CodeText(text.template, text.pieces, language)


def _is_role(text: str) -> bool:
    return text.lower() in ("system", "human", "user", "ai", "assistant", "developer", "placeholder", "tool")


def _read_role(text: CodeText | None, node: ast.expr | None) -> str:
    if text is not None:
        return text.literal if _is_role(text.literal) else ""
    return node.attr.lower() if isinstance(node, ast.Attribute) and _is_role(node.attr) else ""
