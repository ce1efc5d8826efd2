"""The validator: all problems of a document that can be found before use, in the order of its lines."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from promptuary.renderer import formats
from promptuary.renderer.document import parser as documents
from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import InputError, MissingVocabularyError, RenderError
from promptuary.renderer.formats import fragments
from promptuary.renderer.functions import FUNCTIONS
from promptuary.renderer.inputs import declarations
from promptuary.renderer.jinja import Use
from promptuary.renderer.problems import Fix, Place, Problem, Severity, select_errors
from promptuary.renderer.replies.shapers import outputs
from promptuary.renderer.syntax import suggestions
from promptuary.renderer.template import Template, find_profile
from promptuary.renderer.tokens import lazy, tokenizers
from promptuary.renderer.tokens.vocabularies import VocabularySource
from promptuary.renderer.validation import dry_run, fixes, text_scan, undeclared_inputs
from promptuary.renderer.validation import empty_prompt as validation_empty_prompt
from promptuary.renderer.validation import foreign_placeholders as validation_foreign_placeholders

__all__ = ["Samples", "validate", "validate_and_compile"]

Samples = Mapping[str, Mapping[str, Any]]

_OFFERED = frozenset(("token_limit",))
_OF_LENGTH = frozenset(("PT602", "PT603"))


def validate(
    text: str,
    samples: Samples | None = None,
    *,
    fragments: fragments.Source = None,
    profile: Mapping[str, Any] | str | None = None,
    vocabularies: VocabularySource | None = None,
) -> list[Problem]:
    """Check a document, and render every sample (`{name: {input: value}}`). Never raises for what authors write.

    `vocabularies` is asked for a vocabulary that no installed package contains. If it isn't available, a warning says
    that limits were not checked; nothing is estimated.
    """
    return validate_and_compile(text, samples, fragments=fragments, profile=profile, vocabularies=vocabularies)[0]


def validate_and_compile(
    text: str,
    samples: Samples | None = None,
    *,
    fragments: fragments.Source = None,
    profile: Mapping[str, Any] | str | None = None,
    vocabularies: VocabularySource | None = None,
) -> tuple[list[Problem], Template | None]:
    """As `validate`, with the compiled template as `renderer.load` returns it; None if there was an error first."""
    document, problems = documents.inspect_document(text)
    template = None
    if document is not None:
        checks = _Checks(document, fragments, profile, samples or {}, vocabularies)
        problems.extend(checks.run())
        template = checks.template
    ordered = sorted(set(problems), key=lambda problem: (problem.line, problem.column, problem.code, problem.message))
    return ordered, template


class _Checks:
    """The checks of one document; each adds to `found`."""

    def __init__(
        self,
        document: Document,
        source: fragments.Source,
        profile: Mapping[str, Any] | str | None,
        samples: Samples,
        vocabularies: VocabularySource | None,
    ) -> None:
        self.vocabularies = vocabularies
        self.document = document
        self.source = source
        self.profile = profile
        self.samples = samples
        self.found: list[Problem] = []
        self.template: Template | None = None

    def run(self) -> list[Problem]:
        self.found.extend(declarations.find_input_problems(self.document))
        self.found.extend(text_scan.scan_text(self.document))
        self.found.extend(text_scan.scan_samples(self.samples))
        profile = self._try(lambda: find_profile(self.document, self.profile))
        texts = self._try(lambda: fragments.resolve_fragments(self.document, self.source))
        if texts is None:
            return self.found
        self._check_fragment_inputs(texts)
        if select_errors(self.found):
            self._check_body_alone(texts)
            return self.found
        template = self.template = self._try(lambda: Template(self.document, texts, profile, {}))
        if template is not None:
            template.vocabularies = self.vocabularies
            self._check_names(template.body, texts)
            self.found.extend(template.body.find_problems())
            self.found.extend(validation_foreign_placeholders.find_foreign_placeholders(self.document, template.body))
            self.found.extend(outputs.find_output_problems(self.document))
            self.found.extend(declarations.find_advice(self.document))
            self._check_limits(template)
            self._try_rendering(template)
            self._check_samples(template)
        return self.found

    def _try_rendering(self, template: Template) -> None:
        has_errors = bool(select_errors(self.found))
        has_own_names = self.document.format == "parts" and not self.samples
        if has_errors and not has_own_names:
            return
        trials = dry_run.run_trials(template)
        if has_own_names:
            self.found.extend(dry_run.note_same_names(trials))
        if has_errors:
            return
        problems = dry_run.find_structure_problems(template, trials)
        self.found.extend(problems)
        if select_errors(problems):
            return
        nothing = validation_empty_prompt.find_empty_prompt(self.document, template.body)
        if nothing is not None:
            self.found.append(nothing)
            return
        too_long: list[Problem] = self._try(lambda: self._measure_template(template, dry_run.check_least_case)) or []
        self.found.extend(too_long)
        if not problems and not too_long:
            self.found.extend(self._try(lambda: self._measure_template(template, dry_run.check_worst_case)) or [])

    def _measure_template(
        self, template: Template, check: Callable[[Template, tokenizers.Tokenizer], Iterable[Problem]]
    ) -> list[Problem]:
        """Run a check of lengths. Without the vocabulary, use upper bounds; what they can't rule out is reported."""
        tokenizer = template.tokenizer()
        try:
            return list(check(template, tokenizer))
        except MissingVocabularyError as error:
            problems = list(check(template, lazy.UpperBound(tokenizer.name)))
            sure = [problem for problem in problems if problem.code not in _OF_LENGTH]
            if len(sure) < len(problems):
                sure.append(self._report_unmeasured(error))
            return sure

    def _report_unmeasured(self, error: MissingVocabularyError) -> Problem:
        place = self.document.place("token_limit")
        message = f"limits were not checked. {error.message}"
        return Problem("PT604", "warning", message, place.line, place.column, place.end_line, place.end_column)

    def _try(self, step: Callable[[], Any]) -> Any:
        """Return the step's result; an error becomes a problem and None."""
        try:
            return step()
        except RenderError as error:
            self.found.append(error.to_problem())
            return None

    def _check_body_alone(self, texts: Mapping[str, str]) -> None:
        """If the front matter has errors, compile the body anyway to find its errors too."""
        functions = {name: function.call for name, function in FUNCTIONS.items()}
        self._try(lambda: formats.find_format(self.document.format).compile(self.document, texts, functions))

    def _check_fragment_inputs(self, texts: Mapping[str, str]) -> None:
        inputs = self.document.inputs or {}
        whole = None if self.document.inputs is not None else self._declare_all(texts)
        for ref, text in texts.items():
            for name, schema in (documents.parse_document(text).inputs or {}).items():
                if name in inputs and declarations.strip_annotations(inputs[name]) == declarations.strip_annotations(
                    schema
                ):
                    continue
                how = "otherwise" if name in inputs else "not at all"
                message = f"the fragment `{ref}` declares the input `{name}`, this document {how}; declare it alike"
                cure = fixes.redeclare_input if name in inputs else fixes.declare_input
                self._add(
                    "PT505",
                    "error",
                    message,
                    self.document.place("inputs", name),
                    name,
                    cure(self.document, name, schema) or whole,
                )

    def _declare_all(self, texts: Mapping[str, str]) -> Fix | None:
        """A fix for a document that declares no inputs: one of them alone would leave the others undeclared."""
        used = undeclared_inputs.try_to_infer_inputs(self.document, texts)
        schemas = {
            undeclared_input.name: undeclared_input.schema
            for undeclared_input in undeclared_inputs.find_undeclared_names(self.document, texts, used).inputs
        }
        schemas |= {
            name: schemas.get(name, schema) for name, schema in undeclared_inputs.list_fragment_inputs(texts).items()
        }
        return fixes.declare_all(self.document, schemas) if schemas else None

    def _check_names(self, body: formats.Body, texts: Mapping[str, str]) -> None:
        inputs = self.document.inputs
        if inputs is None:
            return
        uses: list[Use] = list(body.list_uses()) if isinstance(body, formats.WithUses) else []
        schemas: dict[str, dict[str, Any]] = {}
        if any(use.name not in inputs for use in uses):
            used = undeclared_inputs.try_to_infer_inputs(self.document, texts, body)
            undeclared = undeclared_inputs.find_undeclared_names(self.document, texts, used)
            schemas = {undeclared_input.name: undeclared_input.schema for undeclared_input in undeclared.inputs}
        for use in uses:
            if use.sure and use.name not in inputs and use.name not in _OFFERED:
                hint = suggestions.make_spelling_hint(use.name, inputs)
                message = f"`{use.name}` is used but not declared under `inputs`{hint}"
                suggestion = (
                    None
                    if use.is_elsewhere
                    else suggestions.rename_fix(use.place, suggestions.find_likely_name(use.name, inputs))
                )
                fix = suggestion or fixes.declare_input(self.document, use.name, schemas.get(use.name, {}))
                self._add("PT403", "error", message, use.place, use.name, fix)
        names = body.list_names()
        for name in inputs:
            if name not in names:
                message = f"the input `{name}` is declared but never used"
                place = self.document.place("inputs", name)
                self._add("PT404", "warning", message, place, name, fixes.undeclare_input(self.document, name))

    def _check_limits(self, template: Template) -> None:
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

    def _check_samples(self, template: Template) -> None:
        has_errors = bool(select_errors(self.found))
        for name, data in self.samples.items():
            faults: list[RenderError] = [*template.inputs.faults(data)]
            try:
                if not faults and not has_errors:
                    self._sample(template, name, data)
            except MissingVocabularyError as error:
                self.found.append(self._report_unmeasured(error))
            except RenderError as error:
                faults.append(error)
            self.found.extend(_name_sample(error, name) for error in faults)

    def _sample(self, template: Template, name: str, data: Mapping[str, Any]) -> None:
        for prompt in template.render_all(data):
            for unknown in prompt.ignored[: suggestions.MAX_NAMED]:
                message = f"the sample `{name}` gives `{unknown}`, which is not an input"
                self.found.append(Problem("PT410", "warning", message, variable=unknown, sample=name))
            if len(prompt.ignored) > suggestions.MAX_NAMED:
                unnamed_count = len(prompt.ignored) - suggestions.MAX_NAMED
                message = f"the sample `{name}` gives {unnamed_count:,} more values that are not inputs"
                self.found.append(Problem("PT410", "warning", message, sample=name))
            if prompt.cut:
                message = f"sample `{name}`: {len(prompt.cut)} parts are cut to fit {prompt.token_limit} tokens"
                self.found.append(Problem("PT601", "note", message, sample=name))
            self.found.extend(dry_run.find_same_names(prompt.parts, name))

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


def _name_sample(error: RenderError, name: str) -> Problem:
    """A sample's error. One that only lacks a value may be completed later, so it only blocks a change request."""
    problem = error.to_problem()
    severity: Severity = "warning" if problem.code == "PT401" else "error"
    message = f"sample `{name}`: {problem.message}"
    variable = error.path if isinstance(error, InputError) else problem.variable
    return Problem(
        problem.code, severity, message, problem.line, problem.column, problem.end_line, problem.end_column,
        variable=variable, sample=name,
    )  # fmt: skip
