"""Semantic Kernel's prompts: YAML with a `template`, and `skprompt.txt` with a `config.json` beside it.

Its own template format has `{{$name}}`, constants and function calls. The result of a call becomes an input.
"""

import html
import json
import re
from collections.abc import Mapping
from typing import Any

from promptuary.renderer.interop.chat_messages import add_request
from promptuary.renderer.interop.go_text import has_actions
from promptuary.renderer.interop.handlebars import read_handlebars
from promptuary.renderer.interop.imported import ImportedTemplate, LossError, as_list, as_mapping
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.kernel_text import read_kernel_text
from promptuary.renderer.interop.liquid import read_liquid
from promptuary.renderer.interop.pieces import History, Message
from promptuary.renderer.interop.placeholders import PlainText
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder, convert_role
from promptuary.renderer.interop.template_text import read_template_text

__all__ = ["KIND", "is_kernel_prompt", "looks_like_kernel_text", "read_kernel_prompt"]

KIND = "semantic-kernel"
_MESSAGE = re.compile(r"<message\s+role=[\"'](\w+)[\"']\s*>(.*?)</message>", re.DOTALL)
_HANDLEBARS_MESSAGE = re.compile(r"\{\{#message\s+role=[\"'](\w+)[\"']\s*\}\}(.*?)\{\{/message\}\}", re.DOTALL)
_LOOPS = (
    re.compile(
        r"\{\{#each\s+(?P<list>\w+)\}\}\s*<message\s+role=[\"']\{\{(?:this\.)?role\}\}[\"']\s*>"
        r"\s*\{{2,3}(?:this\.)?content\}{2,3}\s*</message>\s*\{\{/each\}\}"
    ),
    re.compile(
        r"\{%-?\s*for\s+(?P<item>\w+)\s+in\s+(?P<list>\w+)\s*-?%\}\s*"
        r"<message\s+role=[\"']\{\{\s*(?P=item)\.role\s*\}\}[\"']\s*>"
        r"\s*\{\{\s*(?P=item)\.content\s*\}\}\s*</message>\s*\{%-?\s*endfor\s*-?%\}"
    ),
)
"""A loop that prints the messages of an input, in Handlebars, and in Liquid and Jinja."""


def is_kernel_prompt(value: object) -> bool:
    """Whether a value is a prompt in YAML form."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("template"), str)
        and (bool({"template_format", "input_variables", "execution_settings"} & set(value)) and "_type" not in value)
    )


def looks_like_kernel_text(text: str) -> bool:
    """Whether a text has a variable of its template format, and isn't a Go template, which has them as well."""
    return re.search(r"\{\{\s*\$\w+\s*\}\}", text) is not None and not has_actions(text)


def read_kernel_prompt(source: SourceFile, configuration: str = "") -> list[ImportedTemplate]:
    """Read the prompt as one template. `configuration` is the text of its `config.json`. Raises LossError."""
    value = source.value
    if is_kernel_prompt(value):
        config, template = dict(value), value["template"]
    else:
        config, template = _read_configuration(configuration), source.text
    builder = TemplateBuilder(KIND, str(config.get("name") or source.stem))
    _add_configuration(builder, config)
    language = str(config.get("template_format") or "semantic-kernel")
    names = InputNames()
    if language == "handlebars" and _HANDLEBARS_MESSAGE.search(template):
        return [builder.build_parts(_build_messages(builder, template, language, names, _HANDLEBARS_MESSAGE))]
    if _MESSAGE.search(template):
        return [builder.build_parts(_build_messages(builder, template, language, names, _MESSAGE))]
    plain = _read_text(template, language, names)
    builder.add_differences(plain.differences)
    return [builder.build_text(plain.pieces)]


def _read_configuration(text: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        return as_mapping(json.loads(text), "config.json")
    except (ValueError, RecursionError) as error:
        raise LossError(f"its config.json isn't valid JSON: {error}") from None


def _add_configuration(builder: TemplateBuilder, config: Mapping[str, Any]) -> None:
    builder.front["description"] = str(config.get("description") or "")
    variables = config.get("input_variables")
    if variables is None:
        input_values = as_mapping(config.get("input"), "input")
        variables = input_values.get("parameters")
    for entry in as_list(variables, "input_variables"):
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            raise LossError("an input variable has no name")
        schema: dict[str, Any] = {}
        if entry.get("description"):
            schema["description"] = str(entry["description"])
        default = entry.get("default", entry.get("default_value", entry.get("defaultValue")))
        if default is not None:
            schema["default"] = default
        elif entry.get("is_required") is False:
            schema["default"] = ""
        builder.front.setdefault("inputs", {})[entry["name"]] = schema
    settings = as_mapping(config.get("execution_settings"), "execution_settings")
    chosen = settings.get("default") or next(iter(settings.values()), None)
    if isinstance(chosen, dict):
        request = dict(chosen)
        builder.front["model"] = request.pop("model_id", None) or request.pop("ai_model_id", None)
        function_choice = request.pop("function_choice_behavior", None)
        if function_choice:
            builder.differ("`function_choice_behavior` is left out")
        add_request(builder, {"model": builder.front["model"], **request})
        if len(settings) > 1:
            builder.differ(f"of {len(settings)} execution settings one is read")
    builder.differ("a name that is not given is an error here; there it prints nothing")


def _build_messages(
    builder: TemplateBuilder, template: str, language: str, names: InputNames, pattern: re.Pattern[str]
) -> list[Message | History]:
    placed_messages: list[tuple[int, Message | History]] = []

    def read_loop(match: re.Match[str]) -> str:
        name = names.input_name(match["list"])
        builder.differ(f"the messages of `{name}` come by a loop: mappings with `role` and `content`")
        placed_messages.append((match.start(), History(name)))
        return " " * len(match[0])  # so that later matches are at the same place

    for loop in _LOOPS:
        template = loop.sub(read_loop, template)
    for match in pattern.finditer(template):
        text = html.unescape(match[2].strip())
        if text != match[2].strip():
            builder.differ("escapes such as `&amp;` in its messages are written as the signs that they mean")
        plain = _read_text(text, language, names)
        builder.add_differences(plain.differences)
        placed_messages.append((match.start(), Message(convert_role(match[1]), plain.pieces)))
    if outside := pattern.sub("", template).strip():
        first = outside.partition("\n")[0][:60]
        raise LossError(f"there is text outside its messages: `{first}`; put it in a message, or take it out")
    builder.differ("blanks around a message are left out")
    return [message for _, message in sorted(placed_messages, key=lambda entry: entry[0])]


def _read_text(text: str, language: str, names: InputNames) -> PlainText:
    if language in ("semantic-kernel", "semantic_kernel"):
        return read_kernel_text(text, names)
    if language == "handlebars":
        return read_handlebars(text, names)
    if language in ("jinja2", "jinja"):
        return read_template_text(text, "jinja", names)
    if language == "liquid":
        return read_liquid(text, names)
    raise LossError(f"there is no template format {language}")
