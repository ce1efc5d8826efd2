"""Chat messages in the form of OpenAI's and Anthropic's APIs: a list of messages, or a whole request.

[{"role": "user", "content": "..."}]                                       messages
{"model": ..., "messages": [...], "temperature": ..., "tools": [...]}       a request of OpenAI or Anthropic
{"model": ..., "instructions": ..., "input": "..." | [...]}                a request of Responses
"""

from collections.abc import Mapping, Sequence
from typing import Any

from promptuary.renderer.interop.imported import ImportedTemplate, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import Message, Piece, Slot
from promptuary.renderer.interop.placeholder_syntax import describe_guess
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import ROLES, TemplateBuilder, convert_role
from promptuary.renderer.interop.template_text import find_language, read_template_text
from promptuary.renderer.interop.tool_calls import CALL, is_call_item, separate_calls

__all__ = [
    "KIND",
    "add_request",
    "holds_chat_messages",
    "is_chat_messages",
    "is_message",
    "read_chat_messages",
    "read_messages",
]

KIND = "chat-messages"
_MESSAGE_KEYS = {"role", "content", "type"}
_TEXT_ITEMS = ("text", "input_text", "output_text", CALL)
_IMAGE_ITEMS = ("image_url", "input_image", "image")


def is_message(value: object) -> bool:
    """Whether a value looks like a message of either API."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str) or "text" in value:
        return False
    return bool({"content", "tool_calls", "function_call"} & set(value))


def is_chat_messages(value: object, *, may_have_names: bool = False) -> bool:
    """Whether a value is a list of messages, or a request with one.

    A list whose first item has a `name` is assumed to be the parts of a Promptuary document, unless may_have_names is
    set.
    """
    if isinstance(value, list):
        return bool(value) and all(map(is_message, value)) and (may_have_names or "name" not in value[0])
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("messages"), list) and value["messages"]:
        return all(map(is_message, value["messages"]))
    is_request = "input" in value and ("model" in value or "instructions" in value)
    return is_request and isinstance(value["input"], str | list)


def holds_chat_messages(source: SourceFile) -> bool:
    """Whether a file is such a list or request, or a list of requests with messages, as JSON Lines of training data.

    Parts are written as YAML, so messages in JSON may have names.
    """
    is_json = source.text.lstrip()[:1] in ("[", "{")
    if is_json and _is_single_message(source.value):
        return True
    return is_chat_messages(source.value, may_have_names=is_json) or _are_requests(source.value)


def _is_single_message(value: object) -> bool:
    return is_message(value) and isinstance(value, dict) and str(value["role"]).lower() in ROLES


def _are_requests(value: object) -> bool:
    """Whether a value is a list of requests with messages."""
    requests = value if isinstance(value, list) else []
    return bool(requests) and all(
        isinstance(each, dict) and "messages" in each and is_chat_messages(each) for each in requests
    )


def read_chat_messages(source: SourceFile) -> list[ImportedTemplate]:
    """Read the messages as one template, or each request of a list as one. Raises LossError."""
    value = source.read_value()
    if _are_requests(value):
        return [_read_request(request, f"{source.stem}/{number}") for number, request in enumerate(value, start=1)]
    if _is_single_message(value):
        value = [value]
    if not is_chat_messages(value, may_have_names=True):
        raise LossError("it is neither a list of messages with `role` and `content` nor a request with one")
    return [_read_request({"messages": value} if isinstance(value, list) else dict(value), source.stem)]


def _read_request(fields: Mapping[str, Any], name: str) -> ImportedTemplate:
    builder, request = TemplateBuilder(KIND, name), dict(fields)
    messages = _read_request_messages(request, builder)
    _add_description(builder, request)
    add_request(builder, request)
    return builder.build_parts(read_messages(builder, messages))


def _add_description(builder: TemplateBuilder, request: dict[str, Any]) -> None:
    """Take over a file's description of its prompt, under the keys that prompt files use for it."""
    name = request.pop("name", None) or request.pop("title", None)
    if isinstance(name, str) and any(map(str.isalnum, name)):
        builder.name = name
    if isinstance(description := request.pop("description", None), str):
        builder.front["description"] = description
    tags = request.pop("tags", None)
    if isinstance(tags, list) and all(isinstance(tag, str) for tag in tags):
        builder.front["tags"] = tags
    for key in ("id", "version", "created_at", "updated_at", "author"):
        if request.pop(key, None) is not None:
            builder.differ(f"`{key}` is left out")


def add_request(builder: TemplateBuilder, request: dict[str, Any]) -> None:
    """Take over a request's model, tools and settings."""
    model = request.pop("model", None)
    if isinstance(model, str):
        builder.front["model"] = model
    tools = request.pop("tools", None)
    if isinstance(tools, list) and tools:
        _add_tools(builder, tools)
    for key in ("stream", "stream_options", "user", "metadata", "store"):
        if request.pop(key, None) is not None:
            builder.differ(f"`{key}` belongs to a call and is left out")
    settings = {key: value for key, value in request.items() if value is not None}
    if settings:
        builder.front["settings"] = {**builder.front.get("settings", {}), **settings}


def read_messages(
    builder: TemplateBuilder, messages: Sequence[Any], language: str = "", names: InputNames | None = None
) -> list[Message]:
    """Read messages of either API. `language` applies to all; without it, it is detected. Raises LossError."""
    names = names or InputNames()
    numbered = [
        (number, part)
        for number, message in enumerate(messages, start=1)
        for part in _separate(builder, number, message)
    ]
    if not language:
        text = "\n".join(text for _, part in numbered for text in _list_texts(part))
        language = find_language(text)
        if guess := describe_guess(text, language):
            builder.add_differences([guess])
    return [_build_message(builder, number, part, language, names) for number, part in numbered]


def _read_request_messages(request: dict[str, Any], builder: TemplateBuilder) -> list[Any]:
    messages: list[Any] = []
    for key, role in (("system", "system"), ("instructions", "system")):
        text = request.pop(key, None)
        if text:
            messages.append({"role": role, "content": text})
            builder.differ(f"`{key}` is the first part, of the role {role}")
    entries = request.pop("messages", None)
    if entries is None:
        entries = request.pop("input")
        entries = [{"role": "user", "content": entries}] if isinstance(entries, str) else entries
    return [*messages, *entries]


def _add_tools(builder: TemplateBuilder, tools: list[Any]) -> None:
    """Take over the functions among the tools; a provider's own tools are left out and named."""
    functions = [tool for tool in tools if _is_function(tool)]
    written = [tool for tool in functions if not isinstance(tool.get("function"), dict)]
    builder.front["tools"] = [_read_function_tool(tool) if tool in written else tool for tool in functions]
    if written:
        builder.differ(f"{len(written)} tool definitions are written in the form of chat completions")
    others = [tool for tool in tools if tool not in functions]
    if others:
        names = [
            str(tool.get("type") or tool.get("name") or ", ".join(tool)) for tool in others if isinstance(tool, dict)
        ]
        builder.differ(f"{len(others)} tools that are not functions are left out: {', '.join(names)}")


def _is_function(tool: Any) -> bool:
    return isinstance(tool, dict) and (isinstance(tool.get("function"), dict) or isinstance(tool.get("name"), str))


def _read_function_tool(tool: dict[str, Any]) -> dict[str, Any]:
    parameters = tool.get("parameters") or tool.get("input_schema") or {"type": "object", "properties": {}}
    function = {"name": tool["name"], "description": tool.get("description"), "parameters": parameters}
    return {"type": "function", "function": {key: value for key, value in function.items() if value is not None}}


def _list_texts(message: Mapping[str, Any]) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    items = content if isinstance(content, list) else []
    return [item["text"] for item in items if isinstance(item, dict) and isinstance(item.get("text"), str)]


def _separate(builder: TemplateBuilder, number: int, message: Any) -> list[dict[str, Any]]:
    """The message, its calls of tools as text, and their results as messages of their own. Raises LossError."""
    if not isinstance(message, dict) or ("role" not in message and not is_call_item(message)):
        raise LossError(f"message {number} has no `role`")
    return separate_calls(message, number, builder.differ)


def _build_message(
    builder: TemplateBuilder, number: int, message: Mapping[str, Any], language: str, names: InputNames
) -> Message:
    role = convert_role(message["role"])
    if message.get("audio"):
        raise LossError(f"message {number}: there is no place for audio; take the message out, or write it as text")
    for key in sorted(set(message) - _MESSAGE_KEYS):
        if message[key]:
            builder.differ(f"message {number}: `{key}` is left out")
    content = message.get("content")
    if isinstance(content, str):
        return Message(role, _read(builder, content, language, names))
    return _build_message_of_items(builder, number, role, content, language, names)


def _build_message_of_items(
    builder: TemplateBuilder, number: int, role: str, content: Any, language: str, names: InputNames
) -> Message:
    if not isinstance(content, list) or not content:
        raise LossError(f"message {number}: its content is neither text nor a list of items")
    pieces: list[Piece] = []
    images: list[Mapping[str, Any]] = []
    for item in content:
        kind = item.get("type") if isinstance(item, dict) else None
        if isinstance(item, dict) and item.get("cache_control"):
            builder.differ(f"message {number}: `cache_control` is left out")
        if kind in _TEXT_ITEMS and isinstance(item.get("text"), str):
            if images:
                builder.differ(f"message {number}: its images come after its text")
            if pieces:
                pieces.append("\n")
                builder.differ(f"message {number}: its text items are one text, a line each")
            pieces += _read(builder, item["text"], "" if kind == CALL else language, names)
        elif kind in _IMAGE_ITEMS:
            images.append({"image_url": {"url": _build_address(item, number, language, names)}})
        else:
            raise LossError(
                f"message {number}: there is no place for an item of the type {kind}; take it out, or write it as text"
            )
    return Message(role, tuple(pieces), tuple(images))


def _build_address(item: Mapping[str, Any], number: int, language: str, names: InputNames) -> tuple[Piece, ...]:
    address = item.get("image_url", item.get("source"))
    if isinstance(address, dict):  # of Anthropic: an address, or the image itself
        data = f"data:{address.get('media_type')};base64,{address['data']}" if "data" in address else None
        address = address.get("url", data)
    if not isinstance(address, str):
        raise LossError(f"message {number}: an image has no address")
    pieces = read_template_text(address, language, names).pieces
    if any(not isinstance(piece, str | Slot) for piece in pieces):
        raise LossError(f"message {number}: the address of an image is more than text and names")
    return pieces


def _read(builder: TemplateBuilder, text: str, language: str, names: InputNames) -> tuple[Piece, ...]:
    plain = read_template_text(text, language, names)
    builder.add_differences(plain.differences)
    return plain.pieces
