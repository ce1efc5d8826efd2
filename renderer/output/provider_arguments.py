"""Arguments of model calls made from a Prompt: plain dicts for a provider's client, which is never imported.

    client.chat.completions.create(**adapters.openai(prompt))
    client.responses.create(**adapters.responses(prompt))
    client.messages.create(**adapters.anthropic(prompt))
    client.completions.create(**adapters.completion(prompt))

A document's `settings` are passed on, renamed if the provider has another name for one. A setting that the call
doesn't take is left out with a SettingIgnored warning. Which settings it takes is read from `call`
if it is given (`call=client.messages.create`), else from the provider's package if the process has loaded it.
The prompt's own model, messages and tools replace settings of the same name.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from promptuary.renderer.errors import RenderError
from promptuary.renderer.output.provider_calls import (
    ANTHROPIC_MESSAGES,
    OPENAI_CHAT,
    OPENAI_COMPLETIONS,
    OPENAI_RESPONSES,
    Call,
    SettingIgnored,
)
from promptuary.renderer.prompt import Prompt

__all__ = [
    "ModelRequest",
    "SettingIgnored",
    "anthropic",
    "build_anthropic_body",
    "build_anthropic_settings",
    "build_chat_body",
    "build_chat_settings",
    "build_responses_body",
    "build_responses_settings",
    "completion",
    "metadata",
    "openai",
    "request_settings",
    "responses",
]

_Message = dict[str, Any]
_OF_THE_PROMPT = ("messages", "input", "prompt", "system")
_REPLY_LIMITS = ("max_completion_tokens", "max_output_tokens", "max_tokens")


class ModelRequest(Protocol):
    """The input of a call: a `Prompt`, or anything else with these fields."""

    @property
    def messages(self) -> list[_Message]: ...
    @property
    def settings(self) -> Mapping[str, Any] | None: ...
    @property
    def model(self) -> str | None: ...
    @property
    def tools(self) -> Sequence[Any]: ...
    @property
    def reserve(self) -> int: ...


def metadata(prompt: Prompt) -> dict[str, str]:
    """Return short texts that identify the prompt, for a provider's request metadata or a log line."""
    stamp = prompt.stamp
    fields = {
        "prompt_name": stamp.name,
        "prompt_version": stamp.version,
        "prompt_digest": stamp.digest,
        "rendered_digest": stamp.rendered_digest,
    }
    return {key: str(value) for key, value in fields.items() if value is not None}


def openai(prompt: Prompt, *, stamp: bool = False, call: Call | None = None) -> dict[str, Any]:
    """Return the arguments of OpenAI's chat completions: model, messages, tools, settings; metadata with `stamp`."""
    arguments = build_chat_body(prompt, OPENAI_CHAT.keep_known(build_chat_settings(prompt), call))
    return _add_metadata(arguments, prompt) if stamp else arguments


def responses(prompt: Prompt, *, stamp: bool = False, call: Call | None = None) -> dict[str, Any]:
    """Return the arguments of OpenAI's responses: model, input, tools, renamed settings; metadata with `stamp`.

    Raises RenderError for a message with the role `tool`, which would need the id of the call that it answers.
    """
    arguments = build_responses_body(prompt, OPENAI_RESPONSES.keep_known(build_responses_settings(prompt), call))
    return _add_metadata(arguments, prompt) if stamp else arguments


def build_chat_body(request: ModelRequest, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a chat completion with these settings, unfiltered."""
    body: dict[str, Any] = {**settings, **_read_model(request), "messages": request.messages}
    if request.tools:
        body["tools"] = [dict(tool) for tool in request.tools]
    return body


def build_responses_body(request: ModelRequest, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a response with these settings. Raises RenderError for a message with the role `tool`."""
    messages = [_convert_input_message(message) for message in request.messages]
    body: dict[str, Any] = {**settings, **_read_model(request), "input": messages}
    if request.tools:
        body["tools"] = [_flatten_tool(dict(tool)) for tool in request.tools]
    return body


def completion(prompt: Prompt, *, call: Call | None = None) -> dict[str, Any]:
    """Return the arguments of a plain completion API: model, prompt, the profile's stop texts, settings.

    The text includes the profile's chat markup. Raises RenderError if a part contains an image or file.
    """
    for part in prompt.parts:
        if not isinstance(part.content, str) and any(_find_kind(item) != "text" for item in part.content):
            raise RenderError(f"The part `{part.name}` has an image or file, which a completion API can't take.")
    settings = OPENAI_COMPLETIONS.keep_known(_limit_reply(request_settings(prompt), "max_tokens"), call)
    arguments: dict[str, Any] = {**settings, **_read_model(prompt), "prompt": prompt.text}
    stop = list((prompt.profile or {}).get("stop", ()))
    if stop and "stop" not in arguments:
        arguments["stop"] = stop
    return arguments


def anthropic(prompt: Prompt, *, call: Call | None = None) -> dict[str, Any]:
    """Return the arguments of Anthropic's messages: system, messages, tools in its form, max_tokens, settings.

    `max_tokens`, which the API requires, is the document's setting or else its reserve. Raises RenderError if there is
    neither, or if the first message isn't a user's.
    """
    return build_anthropic_body(prompt, ANTHROPIC_MESSAGES.keep_known(build_anthropic_settings(prompt), call))


def build_anthropic_body(request: ModelRequest, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a message with these settings. Raises RenderError if the first message is not a user's."""
    body: dict[str, Any] = {**settings, **_read_model(request)}
    messages = request.messages
    system = [_require_text(message["content"]) for message in messages if message["role"] in ("system", "developer")]
    if system:
        body["system"] = "\n\n".join(system)
    body["messages"] = _join_neighbours([entry for entry in messages if entry["role"] not in ("system", "developer")])
    if not body["messages"] or body["messages"][0]["role"] != "user":
        raise RenderError("Anthropic's API wants a user's message first; this prompt does not begin with one.")
    if request.tools:
        body["tools"] = [_convert_tool(dict(tool)) for tool in request.tools]
    return body


def build_anthropic_settings(request: ModelRequest) -> dict[str, Any]:
    """Return the settings under their names in Anthropic's messages. Raises RenderError if nothing limits the reply."""
    settings = request_settings(request)
    if "stop" in settings:
        stop = settings.pop("stop")
        settings.setdefault("stop_sequences", [stop] if isinstance(stop, str) else list(stop))
    settings = {"max_tokens": request.reserve, **_limit_reply(settings, "max_tokens")}
    if not settings["max_tokens"]:
        raise RenderError(
            "Anthropic's API needs max_tokens: give it under `settings`, or give the document a `reserve`."
        )
    if isinstance(settings.get("tool_choice"), str):
        tool_choice = {"required": "any"}.get(settings["tool_choice"], settings["tool_choice"])
        settings["tool_choice"] = {"type": tool_choice}
    return settings


def build_chat_settings(
    request: ModelRequest, limit_name: str = "max_completion_tokens", replaced: Sequence[str] = ("max_output_tokens",)
) -> dict[str, Any]:
    """Return the settings under their names in OpenAI's chat completions.

    limit_name: the endpoint's name for the maximum tokens of a reply. replaced: names for it that it doesn't accept.
    """
    settings = request_settings(request)
    return _limit_reply(settings, limit_name) if any(name in settings for name in replaced) else settings


def request_settings(request: ModelRequest) -> dict[str, Any]:
    """Return the request's settings, less those that the prompt itself replaces."""
    return {name: value for name, value in (request.settings or {}).items() if name not in _OF_THE_PROMPT}


def _add_metadata(arguments: dict[str, Any], prompt: Prompt) -> dict[str, Any]:
    return {**arguments, "metadata": {**arguments.get("metadata", {}), **metadata(prompt)}}


def _limit_reply(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The settings with the maximum tokens of a reply under this name only, taken from it or else from another name."""
    others = {key: value for key, value in settings.items() if key not in _REPLY_LIMITS}
    limit = next((settings[key] for key in (name, *_REPLY_LIMITS) if settings.get(key)), None)
    return {**others, name: limit} if limit else others


def _read_model(request: ModelRequest) -> dict[str, Any]:
    return {"model": request.model} if request.model else {}


def build_responses_settings(request: ModelRequest) -> dict[str, Any]:
    """Return the settings under their names in OpenAI's responses."""
    settings = _limit_reply(request_settings(request), "max_output_tokens")
    if effort := settings.pop("reasoning_effort", None):
        settings["reasoning"] = {"effort": effort, **settings.get("reasoning", {})}
    text = dict(settings.pop("text", None) or {})
    if verbosity := settings.pop("verbosity", None):
        text.setdefault("verbosity", verbosity)
    if isinstance(form := settings.pop("response_format", None), dict):
        inner = form.get("json_schema")
        text.setdefault("format", {"type": "json_schema", **inner} if isinstance(inner, dict) else form)
    tool_choice = settings.get("tool_choice")
    if isinstance(tool_choice, dict) and isinstance(tool_choice.get("function"), dict):
        settings["tool_choice"] = {"type": "function", "name": tool_choice["function"].get("name")}
    return {**settings, "text": text} if text else settings


def _convert_input_message(message: _Message) -> _Message:
    role, content = message["role"], message["content"]
    if role == "tool":
        raise RenderError("OpenAI's responses can't take a message of the role `tool`: it has no id of a call.")
    if isinstance(content, str):
        return {"role": role, "content": content}
    kind = "output_text" if role == "assistant" else "input_text"
    return {"role": role, "content": [_convert_input_item(item, kind) for item in content]}


def _convert_input_item(item: Any, kind: str) -> Any:
    """A content item in the form of responses; an item without a known OpenAI form is passed on unchanged."""
    if not isinstance(item, dict):
        return {"type": kind, "text": str(item)}
    if item.get("type") == "text":
        return {"type": kind, "text": item["text"]}
    if item.get("type") == "image_url":
        image = item["image_url"] if isinstance(item["image_url"], dict) else {"url": str(item["image_url"])}
        detail = {"detail": image["detail"]} if "detail" in image else {}
        return {"type": "input_image", "image_url": image["url"], **detail}
    if item.get("type") == "file" and isinstance(item.get("file"), dict):
        return {"type": "input_file", **item["file"]}
    return item


def _flatten_tool(tool: dict[str, Any]) -> dict[str, Any]:
    """A function tool of chat completions in the flat form of responses."""
    function = tool.get("function")
    return {"type": "function", **function} if isinstance(function, dict) else tool


def _find_kind(item: Any) -> str:
    return str(item.get("type")) if isinstance(item, dict) else "text"


def _require_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(
        str(item["text"] if isinstance(item, dict) else item) for item in content if _find_kind(item) == "text"
    )


def _join_neighbours(messages: list[_Message]) -> list[_Message]:
    """Messages with adjacent ones of the same role joined; any role but assistant becomes user."""
    merged: list[_Message] = []
    for message in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        content = message["content"]
        items = content if isinstance(content, str) else [_convert_item(item) for item in content]
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"] = [*_list_items(merged[-1]["content"]), *_list_items(items)]
        else:
            merged.append({"role": role, "content": items})
    return merged


def _list_items(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _convert_item(item: Any) -> Any:
    """A content item in Anthropic's form; an item without a known OpenAI form is passed on unchanged."""
    if not isinstance(item, dict):
        return {"type": "text", "text": str(item)}
    if item.get("type") == "image_url":
        address = item["image_url"]["url"] if isinstance(item["image_url"], dict) else str(item["image_url"])
        return {"type": "image", "source": _build_source(address)}
    if item.get("type") == "file" and isinstance(item.get("file"), dict) and "file_data" in item["file"]:
        return {"type": "document", "source": _build_source(str(item["file"]["file_data"]))}
    return item


def _build_source(address: str) -> dict[str, str]:
    head, comma, data = address.partition(",")
    if comma and head.startswith("data:") and head.endswith(";base64"):
        return {"type": "base64", "media_type": head[5:-7], "data": data}
    return {"type": "url", "url": address}


def _convert_tool(tool: dict[str, Any]) -> dict[str, Any]:
    """Convert a function tool from OpenAI's form to Anthropic's."""
    function = tool.get("function")
    if not isinstance(function, dict):
        return tool
    converted = {"name": function.get("name"), "input_schema": function.get("parameters") or {"type": "object"}}
    return {**converted, "description": function["description"]} if "description" in function else converted
