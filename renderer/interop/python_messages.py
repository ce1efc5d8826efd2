"""Messages in Python code: lists of pairs or mappings, and library calls that take messages."""

import ast
import re

from promptuary.renderer.interop.python_texts import CodeText, CodeTexts, find_called_name

__all__ = ["FoundMessage", "find_messages"]

_CHAT_CALLS = ("ChatPromptTemplate", "from_messages")
_HISTORY_CALLS = ("MessagesPlaceholder",)
FoundMessage = tuple[str, CodeText]
"""A role as spelled in the code, and the text."""


def find_messages(node: ast.expr, texts: CodeTexts) -> list[FoundMessage | str]:
    """Return the messages of a list, or of a call with one; empty for anything else. A plain name is a history."""
    if isinstance(node, ast.Call) and (
        find_called_name(node).endswith(_CHAT_CALLS) or find_called_name(node) == "from_messages"
    ):
        listed = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "messages")]
        return find_messages(listed[0], texts) if listed else []
    if not isinstance(node, ast.List | ast.Tuple) or not node.elts:
        return []
    messages = [_read_message(item, texts) for item in node.elts]
    return [message for message in messages if message is not None] if all(messages) else []


def _read_message(node: ast.expr, texts: CodeTexts) -> FoundMessage | str | None:
    if isinstance(node, ast.Name) and node.id in texts.calls:
        texts.used.append(node.id)
        node = texts.calls[node.id]
    if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == 2:
        return _read_pair(node.elts[0], node.elts[1], texts)
    fields: dict[str, ast.expr] = {}
    if isinstance(node, ast.Dict):
        fields = {str(k.value): v for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant)}
    elif isinstance(node, ast.Call):
        fields = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        if find_called_name(node) in _HISTORY_CALLS:
            named = texts.read_text(fields.get("variable_name") or (node.args[0] if node.args else None))
            return named.literal if named else None
        if (by_class := _read_message_class(node, fields, texts)) is not None:
            return by_class
    text = texts.read_text(fields.get("content"))
    role = _read_role(texts.read_text(fields.get("role")), fields.get("role"))
    has_content = text is not None and bool(text.pieces or text.literal.strip())
    return (role, text) if role and text is not None and has_content else None


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
