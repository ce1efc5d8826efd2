"""Comparison of two templates: what changed for code that sends data or reads replies."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from promptuary.renderer.contract.schema_changes import SchemaChange, list_schema_changes
from promptuary.renderer.template import Template

__all__ = ["Change", "compare", "list_required_inputs"]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `kind` is the area (input, output, model, limit …), `path` the place in it.

    `breaking` means that a caller who used the old template correctly may fail with the new one.
    """

    kind: str
    path: str
    message: str
    breaking: bool

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "path": self.path, "message": self.message, "breaking": self.breaking}


def compare(old: Template, new: Template) -> list[Change]:
    """Return the changes, breaking ones first; empty if there is no difference that a caller can notice."""
    changes = [
        *_compare_inputs(old, new),
        *_format(old, new),
        *_compare_outputs(old, new),
        *_compare_models(old, new),
        *_compare_bodies(old, new),
    ]
    return sorted(changes, key=lambda change: not change.breaking)


def _compare_inputs(old: Template, new: Template) -> Iterator[Change]:
    before, after = _list_declared(old), _list_declared(new)
    if old.document.inputs is not None and new.document.inputs is None:
        yield Change("input", "", "inputs are no longer declared, so data are no longer checked", False)
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield Change("input", name, f"`{name}` is no longer an input; it is ignored when given", False)
        elif name not in before:
            optional = "default" in after[name]
            change = "is new and has a default" if optional else "is new and required"
            yield Change("input", name, f"`{name}` {change}", not optional)
        else:
            yield from _compare_input(name, before[name], after[name])


def list_required_inputs(template: Template) -> list[str]:
    """Return the names of the required inputs."""
    return sorted(name for name, schema in _list_declared(template).items() if "default" not in schema)


def _list_declared(template: Template) -> dict[str, Any]:
    """The inputs by name. Without declarations, the names that the body uses count as required and of any type."""
    if template.document.inputs is not None:
        return template.document.inputs
    return {name: {} for name in template.body.list_names() if name != "token_limit"}


def _compare_input(name: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    for path, message, narrows in list_schema_changes(old, new, name):
        yield Change("input", path, f"`{path}`: {message}", narrows)
    if "default" in old and "default" not in new:
        yield Change("input", name, f"`{name}` lost its default and is required now", True)
    elif "default" not in old and "default" in new:
        yield Change("input", name, f"`{name}` has a default now", False)
    elif old.get("default") != new.get("default"):
        yield Change("input", name, f"`{name}` has another default", False)
    if bool(old.get("untrusted")) != bool(new.get("untrusted")):
        message = f"`{name}` is {'' if new.get('untrusted') else 'no longer '}marked as untrusted"
        yield Change("input", name, message, False)


def _format(old: Template, new: Template) -> Iterator[Change]:
    before, after = old.document.format, new.document.format
    if before != after:
        # A shaped document may make many prompts where other formats make one, and vice versa.
        yield Change("format", "format", f"the format went from {before} to {after}", "shaped" in (before, after))


def _compare_outputs(old: Template, new: Template) -> Iterator[Change]:
    before, after = old.document.output, new.document.output
    if before.get("schema") != after.get("schema"):
        # Replies are read, not sent, so here it is a wider schema that can break a caller.
        surprising = {change.path for change in _compare_schemas(after, before) if change.narrows}
        for path, message, _ in _compare_schemas(before, after):
            yield Change("output", path, f"`{path}`: {message}", path in surprising)
    old_names, new_names = _list_published(before), _list_published(after)
    for name in sorted(old_names - new_names):
        yield Change("output", name, f"`{name}` is no longer among the outputs", True)
    for name in sorted(new_names - old_names):
        yield Change("output", name, f"`{name}` is a new output", False)


def _compare_schemas(old: dict[str, Any], new: dict[str, Any]) -> list[SchemaChange]:
    return list(list_schema_changes(old.get("schema", {}), new.get("schema", {}), "output"))


def _list_published(output: dict[str, Any]) -> set[str]:
    names: set[str] = set()
    for shaper in output.get("shapers") or []:
        if not isinstance(shaper, dict) or shaper.get("publish_outputs") is False:
            continue
        output_names = shaper.get("publish_outputs")
        entries = output_names if isinstance(output_names, list) else shaper.get("outputs")
        names.update(name for name in entries or [] if isinstance(name, str))
    return names


def _compare_models(old: Template, new: Template) -> Iterator[Change]:
    before, after = old.document, new.document
    for kind, name in (("model", "model"), ("settings", "settings"), ("limit", "token_limit"), ("limit", "reserve")):
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            lower = name == "token_limit" and now is not None and (was is None or now < was)
            hint = "; a prompt that fitted may no longer" if lower else ""
            yield Change(kind, name, f"`{name}` went from {_shorten(was)} to {_shorten(now)}{hint}", False)
    if before.tools != after.tools:
        removed_tools = {_describe_tool(tool) for tool in before.tools} - {_describe_tool(tool) for tool in after.tools}
        yield Change(
            "tools",
            "tools",
            "the tools differ" + (f"; gone: {', '.join(sorted(removed_tools))}" if removed_tools else ""),
            False,
        )
    if old.profile != new.profile:
        names = [_shorten(template.profile.get("name") if template.profile else None) for template in (old, new)]
        yield Change("profile", "profile", f"the profile differs: {names[0]}, now {names[1]}", False)


def _describe_tool(tool: dict[str, Any]) -> str:
    function = tool.get("function")
    return str(function.get("name") if isinstance(function, dict) else tool.get("name"))


def _shorten(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _compare_bodies(old: Template, new: Template) -> Iterator[Change]:
    if old.document.body != new.document.body:
        yield Change("body", "body", "the body differs", False)
    for ref in sorted(old.fragments.keys() | new.fragments.keys()):
        if ref not in new.fragments:
            yield Change("fragment", ref, f"the fragment `{ref}` is gone", False)
        elif ref not in old.fragments:
            yield Change("fragment", ref, f"the fragment `{ref}` is new", False)
