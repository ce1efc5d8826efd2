"""Bodies of Prompty files: lines such as `system:` start a message, and the texts are Jinja."""

import re
from collections.abc import Iterator, Mapping

from promptuary.renderer import validate
from promptuary.renderer.interop import mustache
from promptuary.renderer.interop.imported import ImportedTemplate, LossError
from promptuary.renderer.interop.jinja_text import read_jinja
from promptuary.renderer.interop.pieces import History, Message
from promptuary.renderer.interop.template_builder import TemplateBuilder

__all__ = ["IMAGE", "ROLE", "ROLES", "STATEMENT", "read_messages", "read_text"]

ROLE = re.compile(r"^\s*#?\s*(system|user|assistant|developer|function|tools?)(\[.*\])?\s*:\s*$", re.IGNORECASE)
ROLES = ("system", "user", "assistant", "developer")
STATEMENT = re.compile(r"\{[%#]")
IMAGE = re.compile(r"!\[[^\]]*\]\(")
_STRING = re.compile(r"\{\{ '(\{[%#])' \}\}")
_PRINT = re.compile(r"\{\{(?!\s*[^\W\d]\w*\s*\}\})")
_HISTORY = re.compile(
    r"^[ \t]*\{%-?\s*for\s+(\w+)\s+in\s+(\w+(?:\.\w+)*)\s*-?%\}\s*"
    r"#?\s*\{\{\s*\1\.role\s*\}\}\s*:\s*\{\{\s*\1\.content\s*\}\}\s*\{%-?\s*endfor\s*-?%\}[ \t]*$",
    re.MULTILINE,
)
_PRINTED_ROLE = re.compile(r"^\s*#?\s*\{\{[^}]*\}\}\s*:\s*$", re.MULTILINE)


def read_text(text: str, builder: TemplateBuilder) -> ImportedTemplate:
    """Read the prompt of a completion model as one text. Raises LossError."""
    if _is_plain(text):
        return builder.build_body("text", mustache.write_text(_unescape(text)))
    read = read_jinja(text, drop_last_newline=False)
    builder.add_differences(read.differences)
    return builder.build_text(read.pieces)


def read_messages(text: str, builder: TemplateBuilder) -> ImportedTemplate:
    """Read one message per role line; the loop that prints a conversation becomes its messages. Raises LossError."""
    if _PRINTED_ROLE.search(_HISTORY.sub("", text)):
        raise LossError("a value starts a message; only a loop that prints role and content can do so")
    if _is_plain(text):
        messages = [{**message, "content": _unescape(message["content"])} for message in _split(text)]
        return builder.build_body("parts", mustache.write_parts(messages))
    entries: list[Message | History] = []
    end = 0
    for history in _HISTORY.finditer(text):
        entries += _read_parts(text[end : history.start()], builder)
        entries.append(History(history[2]))
        end = history.end()
    return builder.build_parts([*entries, *_read_parts(text[end:], builder)])


def _read_parts(text: str, builder: TemplateBuilder) -> Iterator[Message]:
    """The messages between two conversations, with their statements."""
    if not text.strip():
        return
    for message in _split(text):
        content = message["content"]
        if any(problem.code == "PT201" for problem in validate(f"---\nformat: text\n---\n{content}")):
            raise LossError("a loop or condition goes over several messages; write it around the parts")
        read = read_jinja(content, drop_last_newline=False)
        builder.add_differences(read.differences)
        yield Message(message["role"], read.pieces)


def _is_plain(text: str) -> bool:
    """Whether its only Jinja tags are plain names and statements that are printed as text."""
    rest = _STRING.sub("", text)
    return not STATEMENT.search(rest) and not _PRINT.search(rest)


def _unescape(text: str) -> str:
    return _STRING.sub(r"\1", text)


def _split(text: str) -> list[Mapping[str, str]]:
    messages: list[Mapping[str, str]] = []
    role, lines = "system", list[str]()
    for line in [*text.split("\n"), "user:"]:
        if line.strip().startswith("![thread]"):
            raise LossError("`![thread]` puts a conversation in; write it with a loop over an input")
        match = ROLE.match(line)
        if match is None:
            lines.append(line)
            continue
        content = "\n".join(lines).strip()
        if content:
            messages.append({"role": role, "content": content})
        role, lines = match[1].lower(), []
        if match[2] or role not in ROLES:
            raise LossError(f"there is no place for the message {line.strip()}")
    if any(IMAGE.search(message["content"]) for message in messages):
        raise LossError("an image is in the text; here it is an item of the part's content")
    if not messages:
        raise LossError("it has no message")
    return messages
