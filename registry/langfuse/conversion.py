"""A version as a Langfuse prompt: text, or chat messages, with `{{name}}` where the client puts a value.

Only what Langfuse's clients compile the same way is supported: plain names in double braces. Loops, conditions,
filters, typed lists and roles that depend on data are refused with the reason: a wrong prompt is worse than none.
"""

import json
from typing import Any

from promptuary.renderer import RenderError
from promptuary.renderer.document import plain_placeholders
from promptuary.renderer.document.parser import parse_document
from registry.core.errors import Invalid
from registry.core.lru import Recent
from registry.core.renderer_pool import borrow_renderer
from registry.templates.models import Version

__all__ = ["Converted", "convert_version"]

Converted = dict[str, Any]
_recent: Recent[str, Converted] = Recent(512)


def convert_version(version: Version) -> Converted:
    """`{"type": "text"|"chat", "prompt": …}` of a version. Raises Invalid if Langfuse's clients can't render it."""
    version.require_text()  # don't return a version converted before its redaction
    return _recent.get(version.digest, lambda: _convert(version.unpacked()))


def _convert(bundle: dict[str, Any]) -> Converted:
    document = parse_document(bundle["document"])
    fragments = bundle["fragments"]
    try:
        placeholders = plain_placeholders.read_placeholders(document, fragments)
        with borrow_renderer() as bounded:
            prompt = bounded.render(
                placeholders.document,
                placeholders.data,
                fragments=fragments,
                profile=None,
                target="messages",
                token_limit=-1,
            )
        messages = prompt["messages"]
        for message in messages:
            if not isinstance(message["content"], str):
                raise _refuse_prompt("a part holds more than text")
            message["content"] = placeholders.write_names(message["content"], plain_placeholders.require_no_braces)
    except plain_placeholders.NotPlainError as error:
        raise _refuse_prompt(str(error)) from error
    except RenderError as error:
        raise _refuse_prompt(error.message) from error
    if document.format == "text":
        return {"type": "text", "prompt": "".join(message["content"] for message in messages)}
    return {
        "type": "chat",
        "prompt": [{"role": message["role"], "content": message["content"]} for message in messages],
    }


def _refuse_prompt(reason: str) -> Invalid:
    return Invalid(f"This prompt can't be carried to a Langfuse client: {reason}. Fetch it with Promptuary's client.")


def read_config(version: Version) -> Any:
    """The content of `config` for the application: the document's settings."""
    return json.loads(version.settings)
