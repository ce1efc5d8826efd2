"""promptfoo's configuration: `prompts` in Nunjucks, as texts or JSON messages; the `vars` of its tests are samples."""

import json
from typing import Any

from promptuary.renderer.interop.chat_messages import is_chat_messages, read_messages
from promptuary.renderer.interop.imported import Difference, ImportedTemplate, LossError, as_list
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder
from promptuary.renderer.interop.template_text import read_template_text

__all__ = ["KIND", "is_promptfoo_config", "read_promptfoo_config"]

KIND = "promptfoo"


def is_promptfoo_config(value: object) -> bool:
    """Whether a value has prompts, and providers or tests for them."""
    return isinstance(value, dict) and "prompts" in value and bool({"providers", "tests", "targets"} & set(value))


def read_promptfoo_config(source: SourceFile) -> list[ImportedTemplate]:
    """Read one template per prompt. Raises LossError."""
    value = source.read_value()
    if not is_promptfoo_config(value):
        raise LossError("a configuration of promptfoo has `prompts`, and `providers` or `tests`")
    prompts = value["prompts"] if isinstance(value["prompts"], list) else [value["prompts"]]
    samples = _read_samples(value)
    imported = []
    elsewhere: list[str] = []
    for number, entry in enumerate(prompts, start=1):
        name, prompt = source.stem if len(prompts) == 1 else f"{source.stem}/prompt {number}", entry
        if isinstance(entry, dict):
            name = str(entry.get("label") or entry.get("id") or name)
            prompt = entry.get("raw") or entry.get("id")
        if reason := _explain_omission(number, prompt):
            elsewhere.append(reason)
            continue
        builder = TemplateBuilder(KIND, name)
        builder.samples = samples
        if value.get("providers") or value.get("targets"):
            builder.differ("providers are left out; choose a model in the document")
        tests = value.get("tests")
        if tests is not None and not isinstance(tests, list):
            builder.differ("its tests are left out, because they are in another file or made by a program")
        elif any(isinstance(test, dict) and test.get("assert") for test in as_list(tests, "tests")):
            builder.differ("assertions of its tests are left out; their values are samples")
        if any(isinstance(test, str) for test in as_list(tests if isinstance(tests, list) else [], "tests")):
            builder.differ("tests in other files are left out")
        imported.append(_read_prompt(builder, prompt))
    if not imported:
        raise LossError(elsewhere[0] if elsewhere else "it has no prompts")
    first = imported[0]
    noted = (*map(Difference, elsewhere), *first.differences)
    return [ImportedTemplate(first.name, first.document, KIND, first.samples, noted), *imported[1:]]


def _explain_omission(number: int, prompt: Any) -> str:
    """Why a prompt can't be read; empty for a text and for messages."""
    if isinstance(prompt, str):
        is_elsewhere = prompt.startswith(("file://", "exec:"))
        return f"prompt {number} is in another file: {prompt}; import that one" if is_elsewhere else ""
    if is_chat_messages(prompt, may_have_names=True):
        return ""
    return f"prompt {number} is left out, because it is neither a text nor messages"


def _read_prompt(builder: TemplateBuilder, prompt: Any) -> ImportedTemplate:
    try:
        messages = json.loads(prompt) if isinstance(prompt, str) else prompt
    except (ValueError, RecursionError):
        messages = None
    if isinstance(messages, list) and is_chat_messages(messages, may_have_names=True):
        return builder.build_parts(read_messages(builder, messages, "nunjucks"))
    plain = read_template_text(prompt, "nunjucks", InputNames())
    builder.add_differences(plain.differences)
    return builder.build_text(plain.pieces)


def _read_samples(value: dict[str, Any]) -> dict[str, Any]:
    """The literal values of its tests, by the test's description or number."""
    default = value.get("defaultTest")
    common = default.get("vars") if isinstance(default, dict) else None
    samples = {}
    tests = value.get("tests")
    for number, test in enumerate(tests if isinstance(tests, list) else [], start=1):
        values = test.get("vars") if isinstance(test, dict) else None
        if isinstance(values, dict):
            merged = {**(common if isinstance(common, dict) else {}), **values}
            if not any(isinstance(item, str) and item.startswith("file://") for item in merged.values()):
                samples[str(test.get("description") or f"test {number}")[:60]] = merged
    return samples
