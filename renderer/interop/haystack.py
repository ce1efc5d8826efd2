"""Haystack 1 prompts: a prompt file, or a PromptTemplate in a pipeline's configuration.

name: deepset/question-answering         type: PromptTemplate
text: |                                  params:
  …                                        prompt: …
description, tags, meta, version           output_parser: {type: AnswerParser, params: {…}}
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from promptuary.renderer import RenderError
from promptuary.renderer.document.parser import Document
from promptuary.renderer.formats.shaped.format import rewrite_template
from promptuary.renderer.interop import foreign_yaml, shaped_text
from promptuary.renderer.interop.imported import (
    Difference,
    ImportedTemplate,
    LossError,
    as_list,
    as_mapping,
    check_imported,
    describe_origin,
    find_losses,
    slugify,
    write_document,
)
from promptuary.renderer.syntax import suggestions

__all__ = ["KIND", "is_haystack_prompt", "read_haystack_prompts", "to_haystack_file"]

KIND = "haystack"
_FILE = ("name", "text", "description", "tags", "meta", "version")
_OLD = re.compile(r"(?<!\$)\$([A-Za-z_]\w*)", re.ASCII)
_ELSEWHERE = re.compile(r"[-a-zA-Z0-9_/]+")
_STEP = ("func", "inputs", "params", "outputs", "publish_outputs")


def is_haystack_prompt(value: object) -> bool:
    """Whether a YAML value looks like a prompt file, a PromptTemplate or a pipeline."""
    if not isinstance(value, dict):
        return False
    return {"name", "text"} <= set(value) or value.get("type") == "PromptTemplate" or "components" in value


def read_haystack_prompts(value: Any, stem: str) -> Iterator[ImportedTemplate]:
    """Read the prompt of a file, or those of a pipeline. Raises LossError."""
    if not is_haystack_prompt(value):
        raise LossError("a prompt of Haystack has `name` and `text`, or is a component of the type PromptTemplate")
    if "components" in value:
        components = [entry for entry in as_list(value["components"], "components") if isinstance(entry, dict)]
        templates = [entry for entry in components if entry.get("type") == "PromptTemplate"]
        if not templates:
            raise LossError("the pipeline has no component of the type PromptTemplate")
        for entry in templates:
            yield _read_component(entry, stem)
    elif value.get("type") == "PromptTemplate":
        yield _read_component(value, stem)
    else:
        yield _read_file(value)


def to_haystack_file(source: Document, name: str) -> tuple[str, list[str]]:
    """Write a prompt file, or a PromptTemplate if replies are shaped. Returns the text and what it leaves out."""
    value, losses = _to_prompt(source, name)
    return foreign_yaml.write_yaml_1_1(value), losses


def _to_prompt(source: Document, name: str) -> tuple[dict[str, Any], list[str]]:
    if source.format != "shaped":
        raise LossError(f"its format is {source.format}; Haystack takes the format shaped only")
    facts = describe_origin(source, KIND)
    text = shaped_text.convert_to_haystack(source.body)
    shapers = source.output.get("shapers") or []
    if not shapers:
        carried = {"description": source.description, "tags": list(source.tags), **facts}
        filled = {key: value for key, value in carried.items() if value}
        return {"name": name, "text": text, **filled}, find_losses(source, ("description", "tags", "format"))
    if len(shapers) > 1:
        raise LossError(f"it shapes replies in {len(shapers)} steps; a PromptTemplate has one output parser")
    params = {"prompt": text, "output_parser": _to_parser(shapers[0])}
    losses = find_losses(source, ("format", "output"))
    if "schema" in source.output:
        losses.append("output.schema")
    component = {"name": facts.get("name") or name.rpartition("/")[2], "type": "PromptTemplate", "params": params}
    return component, losses


def _read_file(value: Mapping[str, Any]) -> ImportedTemplate:
    if unknown := sorted(set(value) - set(_FILE)):
        raise LossError(f"there is no place for {suggestions.list_names(unknown)}")
    if not isinstance(value["text"], str) or not isinstance(value["name"], str):
        raise LossError("`name` and `text` are texts")
    front = {"description": value.get("description") or "", "tags": value.get("tags") or [], "format": "shaped"}
    facts = {key: value.get(key) for key in ("name", "meta", "version")}
    return _make(value["name"], value["text"], front, facts)


def _read_component(value: Mapping[str, Any], stem: str) -> ImportedTemplate:
    params = value.get("params")
    if not isinstance(params, dict) or not isinstance(params.get("prompt"), str):
        raise LossError("a PromptTemplate has `params` with a `prompt`")
    unknown = sorted((set(value) - {"name", "type", "params"}) | (set(params) - {"prompt", "output_parser"}))
    if unknown:
        raise LossError(f"there is no place for {suggestions.list_names(unknown)}")
    if _ELSEWHERE.fullmatch(params["prompt"]):
        raise LossError(f"`{params['prompt']}` names a prompt that is kept elsewhere; import that one")
    front: dict[str, Any] = {"format": "shaped"}
    if params.get("output_parser"):
        front["output"] = {"shapers": [_from_parser(params["output_parser"])]}
    return _make(str(value.get("name") or stem), params["prompt"], front, {"name": value.get("name")})


def _make(name: str, text: str, front: Mapping[str, Any], facts: Mapping[str, Any]) -> ImportedTemplate:
    notes = []
    if "{" not in text and _OLD.search(text):
        text = _OLD.sub(r"{\1}", text)
        notes.append("variables written $name are written {name} now")
    try:
        body = rewrite_template(text)
    except RenderError as error:
        raise LossError(f"its text cannot be read: {error.message}") from error
    if body != text and not notes:
        notes.append("arguments go by position now")
    if '"' in text:
        notes.append("double quotes stay; Haystack shows them as single ones")
    document = write_document(KIND, front, body, facts)
    differences = tuple(map(Difference, notes))
    return check_imported(ImportedTemplate(slugify(name), document, KIND, differences=differences), body)


def _from_parser(parser: Any) -> dict[str, Any]:
    kind = parser.get("type") if isinstance(parser, dict) else None
    params = as_mapping(parser.get("params") if isinstance(parser, dict) else None, "params")
    if kind == "AnswerParser" and not set(params) - {"pattern", "reference_pattern"}:
        step = {"func": "strings_to_answers", "inputs": {"strings": "results"}, "outputs": ["answers"]}
        arguments = {key: value for key, value in params.items() if value is not None}
        return {**step, "params": arguments} if arguments else step
    if kind == "Shaper" and "func" in params and not set(params) - set(_STEP):
        return {key: params[key] for key in _STEP if params.get(key) is not None}
    raise LossError(f"there is no output shaper for the output parser {kind or parser!r}")


def _to_parser(step: Mapping[str, Any]) -> dict[str, Any]:
    answers = {"func": "strings_to_answers", "inputs": {"strings": "results"}, "outputs": ["answers"], "params": {}}
    params = dict(step.get("params") or {})
    if {**step, "params": {}} == answers and not set(params) - {"pattern", "reference_pattern"}:
        return {"type": "AnswerParser", "params": params}
    if step["func"] in ("json", "trace_scores", "format_string", "join_documents_to_string"):
        raise LossError(f"Haystack has no function {step['func']} for its output parsers")
    return {"type": "Shaper", "params": dict(step)}
