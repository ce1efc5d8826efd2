"""A version as a Langfuse prompt: text, or chat messages, with `{{name}}` where the client puts a value.

Only what its clients compile alike is carried: plain names in double braces. A loop, a condition, a filter, a typed list or
a role that data decide can't be, and is refused with the reason: a prompt rendered wrongly is worse than none.
"""

import json
import re
from typing import Any

from registry.errors import Invalid
from registry.models import Version
from registry.recent import Recent
from registry.rendering import child
from renderer import RenderError
from renderer.document import Document, parse

__all__ = ["Converted", "convert"]

Converted = dict[str, Any]
FORMATS = ("parts", "text")
_SLOT = re.compile(r"\{\{-?\s*([A-Za-z_][A-Za-z0-9_]*)\s*-?\}\}")
_FRAGMENT = re.compile(r"""\{\{-?\s*fragment\(\s*(['"])[^'"]+\1\s*\)\s*-?\}\}""")
_MARKS = re.compile(r"\{\{|\{%|\{#")
_recent: Recent[str, Converted] = Recent(512)


def convert(version: Version) -> Converted:
    """`{"type": "text"|"chat", "prompt": …}` of a version; Invalid where Langfuse's clients can't carry it."""
    version.require_text()  # what was converted before a redaction is not told after it
    return _recent.get(version.digest, lambda: _convert(version.unpacked()))


def _convert(bundle: dict[str, Any]) -> Converted:
    document = parse(bundle["document"])
    names = _plain_names([document.body, *bundle["fragments"].values()], document)
    # The document's own rendering, each value being its own mark; inputs' types would refuse the marks, so they go.
    bare = f"---\nformat: {document.format}\n---\n{document.body}"
    data = {name: f"{{{{{name}}}}}" for name in names}
    try:
        with child() as bounded:
            rendered = bounded.render(
                bare, data, fragments=bundle["fragments"], profile=None, target="messages", token_limit=-1
            )
    except RenderError as error:
        raise _refusal(error.message) from error
    messages = rendered["messages"]
    for message in messages:
        if not isinstance(message["content"], str):
            raise _refusal("a part holds more than text")
    if document.format == "text":
        return {"type": "text", "prompt": "".join(message["content"] for message in messages)}
    return {
        "type": "chat",
        "prompt": [{"role": message["role"], "content": message["content"]} for message in messages],
    }


def _plain_names(bodies: list[str], document: Document) -> set[str]:
    if document.format not in FORMATS:
        raise _refusal(f"its format is {document.format}")
    names: set[str] = set()
    for body in bodies:
        names |= set(_SLOT.findall(body))
        rest = _FRAGMENT.sub("", _SLOT.sub("", body))
        if found := _MARKS.search(rest):
            line = rest[found.start() :].splitlines()[0]
            raise _refusal(f"it holds more than plain names: {line[:60]}")
    return names


def _refusal(reason: str) -> Invalid:
    return Invalid(f"This prompt can't be carried to a Langfuse client: {reason}. Fetch it with Promptuary's client.")


def settings_of(version: Version) -> Any:
    """What `config` holds for the application: the document's settings."""
    return json.loads(version.settings)
