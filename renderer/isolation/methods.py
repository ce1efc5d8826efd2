"""The methods that a child of the fork server offers. Arguments and results are plain JSON values."""

import base64
import traceback
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from promptuary import renderer
from promptuary.renderer.contract import comparison
from promptuary.renderer.errors import InputError, LimitError, RenderError
from promptuary.renderer.interop import pasted, reading, writing
from promptuary.renderer.isolation.confinement import probe
from promptuary.renderer.isolation.examined import write_undeclared
from promptuary.renderer.origins.edit_outcomes import LineEdit
from promptuary.renderer.origins.line_edits import edit_rendered_lines
from promptuary.renderer.origins.traced_parts import trace_source_lines
from promptuary.renderer.replies import reply_fields
from promptuary.renderer.schemas import validation
from promptuary.renderer.validation.examination import Preview, examine_document
from promptuary.renderer.validation.placeholder_preview import render_with_placeholders

__all__ = ["answer_request"]


def answer_request(request: dict[str, Any]) -> dict[str, Any]:
    """Return the result of the requested method, or the error it raised."""
    try:
        return {"result": _METHODS[request["method"]](**request["arguments"])}
    except RenderError as error:
        return {"error": _convert_to_limit(error).to_dict()}
    except (MemoryError, RecursionError) as error:
        return {"error": _build_memory_error(error).to_dict()}
    except Exception as error:  # noqa: BLE001
        # Bugs of our own must reach the log and the caller, not be reported as a limit.
        message = (
            f"The renderer failed on this ({type(error).__name__}). That is a fault of Promptuary, not of the document."
        )
        return {"error": RenderError(message).to_dict(), "fault": traceback.format_exc(limit=-12)}


def _convert_to_limit(error: RenderError) -> RenderError:
    """Convert an error caused by lack of memory to a LimitError at the same place."""
    if isinstance(error, LimitError) or not isinstance(error.__cause__ or error.__context__, MemoryError):
        return error
    return _build_memory_error(MemoryError()).located(error.place)


def _build_memory_error(error: BaseException) -> RenderError:
    if isinstance(error, MemoryError):
        return LimitError("This needs more memory than a rendering may take.")
    return LimitError("This is nested too deeply, or calls itself without end.")


def _validate(document: str, fragments: Any, profile: Any, samples: Any) -> Any:
    validation = renderer.validate(document, samples, fragments=fragments, profile=profile)
    return [problem.to_dict() for problem in validation]


def _examine(document: str, fragments: Any, profile: Any, samples: Any, data: Any, target: Any) -> Any:
    """Return the problems, the undeclared inputs, and the preview with these data."""
    examination = examine_document(document, data, samples, fragments=fragments, profile=profile)
    return {
        "problems": [problem.to_dict() for problem in examination.problems],
        "undeclared": write_undeclared(examination.undeclared),
        "preview": _preview_answer(examination.preview, target),
    }


def _preview_answer(preview: Preview, target: Any) -> dict[str, Any]:
    try:
        if preview.error is not None:
            raise preview.error
        prompts = [prompt.to_dict(target) for prompt in preview.prompts]
    except RenderError as error:
        return {"error": _convert_to_limit(error).to_dict()}
    return {"prompts": prompts, "placeholders": preview.placeholders}


def _render(document: str, fragments: Any, profile: Any, data: Any, target: Any, options: dict[str, Any]) -> Any:
    template = renderer.load(document, fragments=fragments, profile=profile)
    return template.render(data, **options).to_dict(target)


def _render_all(document: str, fragments: Any, profile: Any, data: Any, target: Any, options: dict[str, Any]) -> Any:
    template = renderer.load(document, fragments=fragments, profile=profile)
    return [prompt.to_dict(target) for prompt in template.render_all(data, **options)]


def _render_with_placeholders(document: str, fragments: Any, profile: Any, data: Any, target: Any) -> Any:
    template = renderer.load(document, fragments=fragments, profile=profile)
    prompts, placeholders = render_with_placeholders(template, data)
    return {"prompts": [prompt.to_dict(target) for prompt in prompts], "placeholders": placeholders}


def _render_samples(  # one argument per field of the request
    document: str, fragments: Any, profile: Any, samples: Any, target: Any, options: Any, traced: bool
) -> Any:
    """Return each sample's prompt or error, compiling the template once; if traced, parts have `source_lines`."""
    template = renderer.load(document, fragments=fragments, profile=profile)
    results: dict[str, dict[str, Any]] = {}
    for name, data in samples.items():
        try:
            results[name] = {"prompt": template.render(data, **options).to_dict(target)}
            if traced:
                _add_source_lines(results[name]["prompt"]["parts"], template, data)
        except RenderError as error:
            results[name] = {"error": _convert_to_limit(error).to_dict()}
    return results


def _find_input_errors(document: str, fragments: Any, profile: Any, rows: Any) -> Any:
    """Return the error of each row whose data the template rejects, without fitting or counting the prompts."""
    template = renderer.load(document, fragments=fragments, profile=profile)
    faults: dict[str, dict[str, Any]] = {}
    for name, data in rows.items():
        try:
            for _ in template.body.build_parts(template.rendering_context(data)):
                pass
        except InputError as error:
            faults[name] = error.to_dict()
        except RenderError:
            pass  # not caused by the data
    return faults


def _edit_lines(document: str, fragments: Any, profile: Any, data: Any, lines: dict[str, Any]) -> Any:
    """Return the edit of the document for a suggestion on rendered lines, or why there is none."""
    template = renderer.load(document, fragments=fragments, profile=profile)
    try:
        outcome = edit_rendered_lines(template, data, **lines)
    except IndexError:
        return {}
    return {"edit" if isinstance(outcome, LineEdit) else "refused": outcome.to_dict()}


def _add_source_lines(parts: list[dict[str, Any]], template: renderer.Template, data: Any) -> None:
    try:
        lines = trace_source_lines(template, data)
    except RenderError:  # a limit of the rendering itself
        lines = []
    for index, part in enumerate(parts):
        part["source_lines"] = lines[index] if lines else []


def _compare(old: Any, new: Any) -> Any:
    return [change.to_dict() for change in renderer.compare(renderer.from_bundle(old), renderer.from_bundle(new))]


def _list_required_inputs(document: str, fragments: Any, profile: Any) -> Any:
    return comparison.list_required_inputs(renderer.load(document, fragments=fragments, profile=profile))


def _read(document: str, fragments: Any, profile: Any, replies: Any, data: Any) -> Any:
    return renderer.load(document, fragments=fragments, profile=profile).read(replies, data)


def _read_many(document: str, fragments: Any, profile: Any, rows: dict[str, Any]) -> Any:
    """Return each row's outputs or error, compiling the template once."""
    template = renderer.load(document, fragments=fragments, profile=profile)
    results: dict[str, dict[str, Any]] = {}
    for name, row in rows.items():
        try:
            results[name] = {"outputs": template.read(row["replies"], row["data"])}
        except RenderError as error:
            results[name] = {"error": _convert_to_limit(error).to_dict()}
    return results


def _read_fields(document: str, fragments: Any, profile: Any, reply: str, data: Any) -> Any:
    template = renderer.load(document, fragments=fragments, profile=profile)
    return reply_fields.read_reply_fields(template.document, reply, lambda: template.read(reply, data))


def _check_schema(schema: Any, value: Any) -> str | None:
    try:
        error = validation.check_schema(schema)
        if error is None and value is not None:
            error = validation.find_best_error(schema, value)
    except validation.Unusable as failure:
        return str(failure)
    if error is not None:
        path = "/".join(map(str, error.absolute_path))
        return f"{path}: {error.message}" if path else error.message
    return None


def _read_templates(files: dict[str, str], source_format: str) -> Any:
    """Read the templates of files whose bytes are in base64."""
    contents = {path: base64.b64decode(content) for path, content in files.items()}
    return [result.to_dict() for result in reading.read_files(contents, source_format)]


def _read_pasted_prompt(text: str, as_document: bool) -> Any:
    prompt = pasted.read_pasted_prompt(text, as_document=as_document)
    return prompt.to_dict() if prompt else None


def _convert_document(form: str, document: str, name: str, fragments: dict[str, str]) -> Any:
    return asdict(writing.convert_document(form, document, name, fragments))


_METHODS: dict[str, Callable[..., Any]] = {
    "validate": _validate,
    "examine": _examine,
    "render": _render,
    "render_all": _render_all,
    "render_samples": _render_samples,
    "render_with_placeholders": _render_with_placeholders,
    "find_input_errors": _find_input_errors,
    "edit_lines": _edit_lines,
    "compare": _compare,
    "list_required_inputs": _list_required_inputs,
    "read": _read,
    "read_many": _read_many,
    "read_fields": _read_fields,
    "check_schema": _check_schema,
    "read_templates": _read_templates,
    "read_pasted_prompt": _read_pasted_prompt,
    "convert_document": _convert_document,
    "probe": probe,
}
