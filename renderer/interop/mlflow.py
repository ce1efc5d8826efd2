"""MLflow prompts: model versions whose tags contain the text, or the fields of a `PromptVersion`.

{"model_version": {"name": "reply", "version": "3", "tags": [{"key": "mlflow.prompt.text", "value": "Hi {{name}}"},
...]}} {"name": "reply", "version": 3, "template": "Hi {{name}}", "model_config": {...}, "response_format": {...}}
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from promptuary.renderer.interop import mustache
from promptuary.renderer.interop.imported import (
    Difference,
    ImportedTemplate,
    LossError,
    as_list,
    as_mapping,
    check_imported,
    slugify,
    write_document,
)
from promptuary.renderer.interop.tool_calls import join_texts, separate_calls

__all__ = ["KIND", "is_mlflow_prompt", "read_mlflow_prompts"]

KIND = "mlflow"
TEXT = "mlflow.prompt.text"
_ROLES = ("system", "user", "assistant", "developer", "tool")
_TYPE = "_mlflow_prompt_type"
_FORMAT = "_mlflow_prompt_response_format"
_CONFIG = "_mlflow_prompt_model_config"
# What its server records for itself: runs, experiments, that this is a prompt.
_SERVERS = (
    "mlflow.prompt.is_prompt",
    "mlflow.prompt.associatedRunIds",
    "mlflow.linkedPrompts",
    "_mlflow_experiment_ids",
)


def is_mlflow_prompt(value: object) -> bool:
    """Whether a JSON value looks like one or several of its prompts."""
    try:
        entries = _list_entries(value)
    except LossError:
        return False
    return bool(entries) and all(map(_is_entry, entries))


def read_mlflow_prompts(value: Any, _stem: str) -> Iterator[ImportedTemplate]:
    """Read each prompt's highest version. Raises LossError."""
    newest: dict[str, Mapping[str, Any]] = {}
    passed: dict[str, int] = {}
    for entry in _list_entries(value):
        if not _is_entry(entry):
            raise LossError("a prompt of MLflow is a version with the tag mlflow.prompt.text, or with a `template`")
        name = str(entry["name"])
        passed[name] = passed.get(name, -1) + 1
        if name not in newest or _read_number(entry) > _read_number(newest[name]):
            newest[name] = entry
    for name, entry in newest.items():
        yield _read(entry, passed[name])


def _list_entries(value: object) -> list[Any]:
    if isinstance(value, dict) and isinstance(value.get("model_version"), dict):
        return [value["model_version"]]
    if isinstance(value, dict) and "model_versions" in value:
        return as_list(value["model_versions"], "model_versions")
    return value if isinstance(value, list) else [value]


def _is_entry(entry: object) -> bool:
    if not isinstance(entry, dict) or "name" not in entry:
        return False
    if isinstance(entry.get("template"), str | list):
        return "version" in entry
    return TEXT in _read_tags(entry)


def _read(entry: Mapping[str, Any], passed: int) -> ImportedTemplate:
    tags = _read_tags(entry)
    template = entry.get("template", tags.get(TEXT))
    if tags.get(_TYPE) == "chat" and isinstance(template, str):
        template = _decode(template, TEXT)
    config = as_mapping(entry.get("model_config") or _decode(tags.get(_CONFIG), _CONFIG), "model_config")
    schema = as_mapping(entry.get("response_format") or _decode(tags.get(_FORMAT), _FORMAT), "response_format")
    model = config.get("model_name")
    front: dict[str, Any] = {
        "description": entry.get("description") or entry.get("commit_message") or "",
        "model": model if isinstance(model, str) else None,
        "settings": {key: value for key, value in config.items() if key not in ("model_name", "provider")},
        "output": {"schema": schema} if schema else None,
    }
    notes = list(_list_notes(entry, passed))
    if isinstance(template, str):
        front["format"] = "text"
        body = _read_jinja(template, notes) if "{%" in template and "%}" in template else mustache.write_text(template)
    else:
        front["format"], body = "parts", mustache.write_parts(_read_messages(template, notes))
    own_tags = {key: value for key, value in tags.items() if key not in (TEXT, _TYPE, _FORMAT, _CONFIG, *_SERVERS)}
    facts = {
        "name": entry["name"],
        "version": _read_number(entry),
        "provider": config.get("provider"),
        "tags": own_tags,
    }
    document = write_document(KIND, front, body, facts)
    differences = tuple(map(Difference, notes))
    imported = ImportedTemplate(slugify(str(entry["name"])), document, KIND, differences=differences)
    return check_imported(imported, body)


def _read_tags(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Tags as one mapping: the REST API returns a list of keys and values, Python a mapping."""
    tags = entry.get("tags") or {}
    if isinstance(tags, list):
        return {str(tag["key"]): tag.get("value") for tag in tags if isinstance(tag, dict) and "key" in tag}
    return as_mapping(tags, "tags")


def _decode(text: Any, subject: str) -> Any:
    if text is None or not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise LossError(f"the tag {subject} isn't valid JSON") from None


def _read_number(entry: Mapping[str, Any]) -> int:
    try:
        return int(entry.get("version") or 0)
    except (TypeError, ValueError):
        raise LossError(f"the version of {entry.get('name')} isn't a number") from None


def _read_jinja(template: str, notes: list[str]) -> str:
    """The Jinja text, without one line end at its end, which MLflow drops."""
    notes.append("a name that is missing shows nothing there; here it is an error")
    return template.removesuffix("\n")


def _read_messages(template: Any, notes: list[str]) -> list[dict[str, str]]:
    messages = []
    numbered = [
        (number, part)
        for number, message in enumerate(as_list(template, "template"), start=1)
        for part in separate_calls(as_mapping(message, f"message {number}"), number, notes.append)
    ]
    for number, part in numbered:
        fields = {**part, "content": join_texts(part.get("content"))}
        extra = sorted(key for key, value in fields.items() if key not in ("role", "content") and value is not None)
        if extra or not isinstance(fields.get("content"), str) or fields.get("role") not in _ROLES:
            reason = ", ".join(extra) or "a content that isn't text, or its role"
            raise LossError(f"message {number}: there is no place for {reason}")
        messages.append({"role": fields["role"], "content": fields["content"]})
    if not messages:
        raise LossError("it has no messages")
    return messages


def _list_notes(entry: Mapping[str, Any], passed: int) -> Iterator[str]:
    if passed:
        yield (
            f"version {_read_number(entry)} is the highest; {passed} older "
            f"{'one stays' if passed == 1 else 'ones stay'} there"
        )
    aliases = as_list(entry.get("aliases"), "aliases")
    if aliases:
        alias_names = [str(alias.get("alias")) if isinstance(alias, dict) else str(alias) for alias in aliases]
        yield f"labels move by review only; there it has {', '.join(alias_names)}"
