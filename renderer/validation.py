"""Everything that can be said about a document before it is used: problems, in the order of its lines."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from renderer import cures, findings, formats, fragments, inputs, near, trials
from renderer import document as documents
from renderer.document import Document
from renderer.environment import Use
from renderer.errors import InputError, RenderError
from renderer.functions import FUNCTIONS
from renderer.problems import Fix, Place, Problem, Severity, blocking
from renderer.prompt import Part
from renderer.shapers import outputs
from renderer.template import Template, find_profile

__all__ = ["Samples", "validate"]

Samples = Mapping[str, Mapping[str, Any]]

_OFFERED = frozenset(("token_limit",))


def validate(
    text: str,
    samples: Samples | None = None,
    *,
    fragments: fragments.Source = None,
    profile: Mapping[str, Any] | str | None = None,
) -> list[Problem]:
    """Check a document, and render every sample (`{name: {input: value}}`) with it. Never raises for what authors write."""
    document, found = documents.inspect(text)
    if document is not None:
        found.extend(_Checks(document, fragments, profile, samples or {}).run())
    return sorted(set(found), key=lambda problem: (problem.line, problem.column, problem.code, problem.message))


class _Checks:
    """The checks of one document; each adds to `found`."""

    def __init__(
        self, document: Document, source: fragments.Source, profile: Mapping[str, Any] | str | None, samples: Samples
    ) -> None:
        self.document = document
        self.source = source
        self.profile = profile
        self.samples = samples
        self.found: list[Problem] = []

    def run(self) -> list[Problem]:
        self.found.extend(inputs.problems(self.document))
        self.found.extend(findings.of_text(self.document))
        self.found.extend(findings.of_samples(self.samples))
        profile = self._try(lambda: find_profile(self.document, self.profile))
        texts = self._try(lambda: fragments.resolve(self.document, self.source))
        if texts is None:
            return self.found
        self._fragment_inputs(texts)
        if blocking(self.found):
            self._body_alone(texts)
            return self.found
        template = self._try(lambda: Template(self.document, texts, profile, {}))
        if template is not None:
            self._names(template.body)
            self.found.extend(template.body.problems())
            self.found.extend(outputs.problems(self.document))
            self.found.extend(inputs.advice(self.document))
            self._limits(template)
            if not blocking(self.found):
                self._trials(template)
            self._samples(template)
        return self.found

    def _trials(self, template: Template) -> None:
        found = trials.structure_problems(template)
        self.found.extend(found)
        if not found:
            self.found.extend(self._try(lambda: list(trials.worst_case(template, template.tokenizer()))) or [])

    def _try(self, step: Callable[[], Any]) -> Any:
        """The step's result; its error becomes a problem and None."""
        try:
            return step()
        except RenderError as error:
            self.found.append(error.to_problem())
            return None

    def _body_alone(self, texts: Mapping[str, str]) -> None:
        """Where the front matter has errors, the body is still compiled, for its own."""
        offered = {name: function.call for name, function in FUNCTIONS.items()}
        self._try(lambda: formats.find(self.document.format).compile(self.document, texts, offered))

    def _fragment_inputs(self, texts: Mapping[str, str]) -> None:
        declared = self.document.inputs or {}
        for ref, text in texts.items():
            for name, schema in (documents.parse(text).inputs or {}).items():
                if name in declared and inputs.without_annotations(declared[name]) == inputs.without_annotations(
                    schema
                ):
                    continue
                what = "otherwise" if name in declared else "not at all"
                message = f"the fragment `{ref}` declares the input `{name}`, this document {what}; declare it alike"
                cure = cures.redeclare if name in declared else cures.declare
                self._add(
                    "PT505",
                    "error",
                    message,
                    self.document.place("inputs", name),
                    name,
                    cure(self.document, name, schema),
                )

    def _names(self, body: formats.Body) -> None:
        declared = self.document.inputs
        if declared is None:
            return
        uses: list[Use] = list(body.uses()) if isinstance(body, formats.WithUses) else []
        for use in uses:
            if use.sure and use.name not in declared and use.name not in _OFFERED:
                hint = near.hint(use.name, declared)
                message = f"`{use.name}` is used but not declared under `inputs`{hint}"
                meant = None if use.is_elsewhere else near.rename(use.place, near.likely(use.name, declared))
                fix = meant or cures.declare(self.document, use.name, {})
                self._add("PT403", "error", message, use.place, use.name, fix)
        used = body.names()
        for name in declared:
            if name not in used:
                message = f"the input `{name}` is declared but never used"
                place = self.document.place("inputs", name)
                self._add("PT404", "warning", message, place, name, cures.undeclare(self.document, name))

    def _limits(self, template: Template) -> None:
        limit, context = self.document.token_limit, template.context
        if limit is not None and context is not None and limit > context:
            place = self.document.place("token_limit")
            message = f"`token_limit` is {limit:,}, but the model takes {context:,} tokens at most"
            self._add("PT607", "error", message, place)
        effective = limit if limit is not None else context
        if effective is not None and self.document.reserve >= effective:
            place = self.document.place("reserve")
            message = f"a reserve of {self.document.reserve:,} leaves no room in {effective:,} tokens"
            self._add("PT606", "error", message, place)

    def _samples(self, template: Template) -> None:
        broken = bool(blocking(self.found))
        for name, data in self.samples.items():
            try:
                if broken:
                    template.inputs.prepare(data, "ignore")
                else:
                    self._sample(template, name, data)
            except RenderError as error:
                self.found.append(_of_sample(error, name))

    def _sample(self, template: Template, name: str, data: Mapping[str, Any]) -> None:
        for prompt in template.render_all(data):
            for unknown in prompt.ignored[: near.MOST_NAMED]:
                message = f"the sample `{name}` gives `{unknown}`, which is not an input"
                self.found.append(Problem("PT410", "warning", message, variable=unknown, sample=name))
            if len(prompt.ignored) > near.MOST_NAMED:
                rest = len(prompt.ignored) - near.MOST_NAMED
                message = f"the sample `{name}` gives {rest:,} more values that are no inputs"
                self.found.append(Problem("PT410", "warning", message, sample=name))
            if prompt.cut:
                message = f"sample `{name}`: {len(prompt.cut)} parts are cut to fit {prompt.token_limit} tokens"
                self.found.append(Problem("PT601", "note", message, sample=name))
            if len({part.name for part in prompt.parts}) < len(prompt.parts):
                self.found.append(_same_names(prompt.parts, name))

    def _add(
        self,
        code: str,
        severity: Severity,
        message: str,
        place: Place,
        variable: str | None = None,
        fix: Fix | None = None,
    ) -> None:
        ends = (place.end_line, place.end_column)
        self.found.append(Problem(code, severity, message, place.line, place.column, *ends, fix, variable))


def _same_names(parts: Sequence[Part], sample: str) -> Problem:
    counts = Counter(part.name for part in parts)
    twice = next(part for part in parts if counts[part.name] > 1)
    message = f"{counts[twice.name]} parts are named `{twice.name}`; names help most when they differ"
    return Problem("PT308", "note", message, twice.line or 1, sample=sample)


def _of_sample(error: RenderError, name: str) -> Problem:
    problem = error.to_problem()
    message = f"sample `{name}`: {problem.message}"
    variable = error.path if isinstance(error, InputError) else problem.variable
    return Problem(
        problem.code, "error", message, problem.line, problem.column, problem.end_line, problem.end_column,
        variable=variable, sample=name,
    )  # fmt: skip
