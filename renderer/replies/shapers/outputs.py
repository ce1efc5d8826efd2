"""The `output` of a document: its check on save, and reading replies with it."""

from collections.abc import Mapping, Sequence
from typing import Any

from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import OutputError
from promptuary.renderer.functions import describe_nearest
from promptuary.renderer.problems import Problem, Severity
from promptuary.renderer.replies import shapers
from promptuary.renderer.replies.shapers.context import Clock, Reader

__all__ = ["RESERVED", "Outputs", "find_output_problems", "read_outputs"]

RESERVED: Mapping[str, str] = {"results": "the model's replies", "prompts": "the prompts that were sent"}
"""Names with a fixed meaning in every shaper, whatever the data contain."""
_OUTPUT_KEYS = ("schema", "shapers")
_SHAPER_KEYS = ("func", "inputs", "params", "outputs", "publish_outputs")
_Path = tuple[str | int, ...]
_Finding = tuple[_Path, str, str]  # where, code, what


class Outputs(dict[str, Any]):
    """The published values by name. `notes` lists what was repaired or left out."""

    def __init__(self, values: Mapping[str, Any], notes: Sequence[str] = ()) -> None:
        super().__init__(values)
        self.notes = tuple(notes)


def read_outputs(
    document: Document,
    replies: str | Sequence[str],
    data: Mapping[str, Any],
    prompts: Sequence[Any],
    *,
    clock: Clock | None = None,
    tokenizer: Any = None,
) -> Outputs:
    """Run the document's shapers over replies.

    They see the data, `results` (the replies), `prompts`, and the results of earlier shapers. Unless the data have
    these names, `strings` is also the replies, and `reply` a single one. Data named `results` or `prompts` are
    overridden, with a note. Without shapers the outcome is `results`, read with the output schema if there is one.
    Raises OutputError.
    """
    output = document.output
    texts = [replies] if isinstance(replies, str) else list(replies)
    reader = Reader(schema=output.get("schema"), tokenizer=tokenizer)
    if clock is not None:
        reader.clock = clock
    steps = output.get("shapers") or []
    if not steps and reader.schema is not None:
        steps = [{"func": "json", "outputs": ["results"]}]
    if not steps:
        return Outputs({"results": texts})
    if output.get("shapers"):
        reader.notes.extend(_hide_name(name) for name in RESERVED if name in data)
    context = {"strings": texts, **data, "results": texts, "prompts": list(prompts)}
    if len(texts) == 1:
        context.setdefault("reply", texts[0])
    values: dict[str, Any] = {}
    for index, step in enumerate(steps):
        _run(step, context, values, reader, document, index)
    return Outputs(values, reader.notes)


def _run(
    step: Mapping[str, Any],
    context: dict[str, Any],
    values: dict[str, Any],
    reader: Reader,
    document: Document,
    index: int,
) -> None:
    try:
        for path, code, message in _check_step(step):
            raise OutputError(message, code=code, place=document.place("output", "shapers", index, *path))
        shaper = shapers.find_shaper(step["func"])
        value = shaper.run(_collect_arguments(step, shaper, context), reader)
    except OutputError as error:
        error.located(document.place("output", "shapers", index))
        raise
    name = step["outputs"][0]
    context[name] = value
    publish = step.get("publish_outputs", True)
    if publish is True or (isinstance(publish, list) and name in publish):
        values[name] = value


def _collect_arguments(step: Mapping[str, Any], shaper: shapers.Shaper, context: Mapping[str, Any]) -> dict[str, Any]:
    """Precedence: inputs that are in the context, then params, then context values with the name of an argument."""
    params = step.get("params") or {}
    arguments: dict[str, Any] = {}
    for argument, source in (step.get("inputs") or {}).items():
        if isinstance(source, list):
            arguments[argument] = [context[name] for name in source if name in context]
        elif source in context:
            arguments[argument] = context[source]
    for parameter in shaper.parameters:
        name = parameter.name
        if name in context and name not in arguments and name not in params:
            arguments[name] = context[name]
    return {**params, **arguments}


def find_output_problems(document: Document) -> list[Problem]:
    """Return the problems of a document's `output`, including inputs that its shapers can't see, each at its place."""
    problems = [
        _build_problem(document, ("output", *path), code, message)
        for path, code, message in _find_faults(document.output)
    ]
    if document.output.get("shapers"):
        for name in RESERVED:
            if name in (document.inputs or {}):
                problems.append(_build_problem(document, ("inputs", name), "PT813", _hide_name(name), "warning"))
    return problems


def _build_problem(document: Document, path: _Path, code: str, message: str, severity: Severity = "error") -> Problem:
    place = document.place(*path)
    return Problem(code, severity, message, place.line, place.column, place.end_line, place.end_column)


def _hide_name(name: str) -> str:
    return f"shapers do not see the data named `{name}`: there the name means {RESERVED[name]}; use another name"


def _find_faults(output: Mapping[str, Any]) -> list[_Finding]:
    findings: list[_Finding] = [
        ((key,), "PT810", f"`{key}` is not a part of `output`; {describe_nearest(key, _OUTPUT_KEYS)}")
        for key in output
        if key not in _OUTPUT_KEYS
    ]
    steps = output.get("shapers", [])
    if not isinstance(steps, list):
        return [*findings, (("shapers",), "PT810", "`shapers` must be a list")]
    for index, step in enumerate(steps):
        findings.extend((("shapers", index, *path), code, message) for path, code, message in _check_step(step))
    return findings


def _check_step(step: Any) -> list[_Finding]:
    if not isinstance(step, Mapping):
        return [((), "PT810", "a shaper must be a mapping with `func` and `outputs`")]
    findings: list[_Finding] = [
        ((str(key),), "PT810", f"`{key}` is not a part of a shaper; {describe_nearest(str(key), _SHAPER_KEYS)}")
        for key in step
        if key not in _SHAPER_KEYS
    ]
    for key in ("inputs", "params"):
        if not isinstance(step.get(key) or {}, Mapping):
            return [*findings, ((key,), "PT810", f"`{key}` must be a mapping from arguments to values")]
    outputs = step.get("outputs")
    if not isinstance(outputs, list) or not outputs or not all(isinstance(name, str) for name in outputs):
        findings.append((("outputs",), "PT810", "`outputs` must be a list with the name of the result"))
    publish = step.get("publish_outputs", True)
    if not isinstance(publish, bool | list):
        findings.append((("publish_outputs",), "PT810", "`publish_outputs` must be true, false or a list of names"))
    return [*findings, *_check_arguments(step)]


def _check_arguments(step: Mapping[str, Any]) -> list[_Finding]:
    try:
        shaper = shapers.find_shaper(step.get("func"))
    except OutputError as error:
        return [(("func",), error.code, error.message)]
    parameter_names = [parameter.name for parameter in shaper.parameters]
    findings: list[_Finding] = [
        (
            (key, str(name)),
            "PT812",
            f"{shaper.name} has no argument `{name}`; {describe_nearest(str(name), parameter_names)}",
        )
        for key in ("inputs", "params")
        for name in step.get(key) or {}
        if name not in parameter_names
    ]
    sources = (step.get("inputs") or {}).items()
    for argument, source in sources:
        names = source if isinstance(source, list) else [source]
        if not all(isinstance(name, str) for name in names):
            findings.append((("inputs", argument), "PT812", f"`{argument}` must name a value, or list names of values"))
    return findings
