"""Checking a document for every possible problem, before any transaction and without storing anything.

Reading a document, for callers that only need its inputs, costs much less: nothing is compiled or rendered.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import rfc8785
from django.utils.translation import gettext

from promptuary import renderer
from promptuary.renderer import profiles
from promptuary.renderer.document import parser as documents
from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import RenderError
from promptuary.renderer.isolation.examined import ExaminedDocument
from promptuary.renderer.isolation.process import BusyError
from promptuary.renderer.problems import Problem, select_errors
from promptuary.renderer.validation.standards import Subject, check_standards
from promptuary.renderer.validation.undeclared_inputs import UndeclaredInputs, find_undeclared_inputs
from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Invalid
from registry.core.input_checks import DOCUMENT_BYTES, SAMPLES_BYTES, check_size, check_text
from registry.core.lru import Recent
from registry.core.renderer_pool import borrow_renderer, list_sources
from registry.journal.event import compute_digest, format_canonical_json
from registry.namespaces import key_rights, permissions
from registry.namespaces.models import Namespace
from registry.namespaces.rules import find_standards
from registry.namespaces.verbs import Verb
from registry.templates import fragments
from registry.templates.models import Template

__all__ = [
    "CheckedDocument",
    "PreviewRequest",
    "ReadDocument",
    "check_document",
    "check_for_caller",
    "is_limit",
    "list_problems",
    "read_document",
    "write_canonical_texts",
    "write_samples",
]

Samples = Mapping[str, Mapping[str, Any]]
_MAX_SAMPLES = 200
_LIMITS = "PT70"  # the renderer's codes for limits that were hit
_seen: Recent[tuple[str, str], list[Problem]] = Recent(limit=256)
_undeclared: Recent[str, UndeclaredInputs] = Recent(limit=256)


@dataclass(frozen=True)
class ReadDocument:
    """A parsed document. `document` is None if it can't be parsed; `problems` then say why. `fragment_texts` maps each
    reference as written to the fragment's text.
    """

    document: Document | None
    problems: list[Problem]
    fragment_texts: Mapping[str, str]

    @cached_property
    def undeclared(self) -> UndeclaredInputs:
        """The inputs that the text uses but does not declare; empty if it can't be parsed."""
        if self.document is None:
            return UndeclaredInputs()
        text, fragment_texts = self.document.text, self.fragment_texts
        return _undeclared.get(_make_key(text, fragment_texts), lambda: find_undeclared_inputs(text, fragment_texts))


@dataclass(frozen=True)
class PreviewRequest:
    """The data for a preview, and its target: `messages` or `text`."""

    data: Mapping[str, Any]
    target: str = "messages"


@dataclass(frozen=True)
class CheckedDocument(ReadDocument):
    """A checked document. `bundle` is canonical text, empty if `document` can't be parsed.

    `preview` is the result of the request `previewed`, if the check ran (was not cached) and rendered it too.
    """

    bundle: str
    digest: str
    previewed: PreviewRequest | None = None
    preview: ExaminedDocument | None = None

    @property
    def is_sound(self) -> bool:
        """Whether it can be saved; warnings and notes don't prevent that."""
        return bool(self.bundle) and not select_errors(self.problems)


def read_document(actor: Actor, document: str) -> ReadDocument:
    """Parse a document and find its fragments with the actor's rights, without checking it.

    Raises Invalid if it isn't text, TooLarge if it is too long.
    """
    _check_text_size(document)
    read, problems = documents.inspect_document(document)
    if read is None:
        return ReadDocument(None, problems, {})
    return ReadDocument(read, problems, fragments.resolve_fragments(actor, read).texts)


def list_problems(
    *, actor: Actor, document: str, samples: Samples | None = None, template: str | None = None
) -> list[Problem]:
    """Every problem of the document and its samples, in the order of its lines.

    References are resolved with the actor's rights.
    """
    return check_for_caller(actor=actor, document=document, samples=samples, template=template).problems


def check_for_caller(
    *, actor: Actor, document: str, samples: Samples | None = None, template: str | None = None
) -> CheckedDocument:
    """Check the document if the caller has the right to. References are resolved with the actor's rights. template: the
    name it would be saved under, in a namespace whose standards the caller may read.
    """
    if actor.key is not None:
        key_rights.require_key(actor.key, Verb.CHECK)
    if template is not None:
        namespace, _ = names.check_template(template)
        permissions.find_namespace(actor, Verb.CHECK, namespace)
    return check_document(actor, document, samples, name=template)


def check_document(
    actor: Actor,
    document: str,
    samples: Samples | None = None,
    *,
    name: str | None = None,
    preview: PreviewRequest | None = None,
) -> CheckedDocument:
    """Parse, resolve, render with each sample and count tokens; the author's template runs in the bounded child only.

    A recent check of the same digest and samples is reused: a save usually follows a check. name: of the template,
    which need not exist; the standards of its namespace are checked too. preview: a rendering that the caller needs
    next; a check that isn't cached renders it too.
    """
    _check_text_size(document)
    data = write_samples(samples or {})
    read, problems = documents.inspect_document(document)
    if read is None:
        return CheckedDocument(None, problems, {}, "", "")
    profile, faults = _find_profile(read)
    resolved = fragments.resolve_fragments(actor, read)
    bundle = {"engine": renderer.ENGINE, "document": document, "fragments": resolved.texts, "profile": profile}
    digest = renderer.digest(bundle)
    previews: list[ExaminedDocument] = []

    def find_problems() -> list[Problem]:
        examined = _examine(bundle, samples or {}, preview) if preview else None
        if examined is None:
            return _validate(bundle, samples or {})
        previews.append(examined)
        _undeclared.get(_make_key(document, resolved.texts), lambda: examined.undeclared)
        return examined.problems

    report = _seen.get((digest, compute_digest(data)), find_problems, keep=_is_lasting)
    if name is not None:
        faults += _check_standards(name, read, samples, resolved.texts.values())
    all_problems = _sort_problems([*resolved.problems, *faults, *report])
    rendered = previews[0] if previews else None
    return CheckedDocument(read, all_problems, resolved.texts, format_canonical_json(bundle), digest, preview, rendered)


def _check_standards(
    name: str, document: Document, samples: Samples | None, fragment_texts: Collection[str]
) -> list[Problem]:
    """Where the document does not meet its namespace's standards. Without samples given, the stored ones are used."""
    space, _, path = name.partition("/")
    namespace = Namespace.objects.filter(name=space).first()
    if namespace is None or not namespace.standards:
        return []
    template = Template.objects.filter(name=name).first()
    sample_set = template.current_samples() if template and samples is None else None
    sample_names = samples if samples is not None else sample_set.samples if sample_set else ()
    subject = Subject(document, path, template is not None, list(sample_names), fragment_texts)
    return check_standards(find_standards(namespace), subject)


def _check_text_size(document: object) -> None:
    if not isinstance(document, str):
        raise Invalid(fields={"document": gettext("this must be text.")})
    check_size("document", len(document.encode("utf-8", "surrogatepass")), DOCUMENT_BYTES)


def _make_key(document: str, fragment_texts: Mapping[str, str]) -> str:
    return compute_digest(json.dumps([document, dict(fragment_texts)]))


def _examine(bundle: dict[str, Any], samples: Samples, preview: PreviewRequest) -> ExaminedDocument | None:
    """The problems, undeclared inputs and preview in one call, as the child has compiled the document anyway.

    None if the check or the preview hit a limit: each may stay within it on its own.
    """
    with borrow_renderer() as bounded:
        try:
            return bounded.examine(
                bundle["document"],
                dict(preview.data),
                **list_sources(bundle),
                samples=dict(samples),
                target=preview.target,
            )
        except BusyError:
            raise
        except RenderError:
            return None


def _validate(bundle: dict[str, Any], samples: Samples) -> list[Problem]:
    with borrow_renderer() as bounded:
        return bounded.validate(
            bundle["document"], fragments=bundle["fragments"], profile=bundle["profile"], samples=dict(samples)
        )


def _is_lasting(problems: list[Problem]) -> bool:
    """Whether the same check would have the same result again; one that hit a time limit may not."""
    return not any(map(is_limit, problems))


def is_limit(problem: Problem) -> bool:
    """Whether a limit of time or memory was hit, which the next attempt may not hit."""
    return problem.code.startswith(_LIMITS)


def write_samples(samples: object) -> str:
    """The text of samples in their order: {"name": {"input": value}}. Raises Invalid for any other shape, TooLarge if
    it is too long.
    """
    if not isinstance(samples, Mapping) or not all(isinstance(values, Mapping) for values in samples.values()):
        raise Invalid(fields={"samples": gettext('samples are {"name": {"input": value}}.')})
    if len(samples) > _MAX_SAMPLES:
        raise Invalid(
            fields={
                "samples": gettext("at most {most_samples} samples; these are {count}.").format(
                    most_samples=_MAX_SAMPLES, count=len(samples)
                )
            }
        )
    for name in samples:
        check_text("samples", name, 200)
        if not name.strip() or not name.isprintable():
            raise Invalid(
                fields={
                    "samples": gettext("{value!r} is not a name: printable characters, one line.").format(
                        value=name[:80]
                    )
                }
            )
    try:
        text = write_canonical_texts(samples)
    except (rfc8785.CanonicalizationError, RecursionError, UnicodeEncodeError) as error:
        raise Invalid(
            fields={"samples": gettext("a value that JSON can't say exactly: {error}").format(error=error)}
        ) from error
    check_size("samples", len(text.encode("utf-8")), SAMPLES_BYTES)
    return text


def write_canonical_texts(values: Mapping[str, Any]) -> str:
    """Canonical JSON of each value under its name; the names keep the order given."""
    members = (f"{format_canonical_json(name)}:{format_canonical_json(value)}" for name, value in values.items())
    return "{" + ",".join(members) + "}"


def _find_profile(document: Document) -> tuple[dict[str, Any] | None, list[Problem]]:
    """The profile that `profile:` names, else the one that lists the model, else None."""
    if document.profile is None:
        return (profiles.find_profile_of_model(document.model) if document.model else None), []
    try:
        return profiles.find_builtin_profile(document.profile), []
    except RenderError as error:
        return None, [error.located(document.place("profile")).to_problem()]


def _sort_problems(problems: list[Problem]) -> list[Problem]:
    """Sort by position. Of several with one code at one position keep the first, which was made with the registry's
    data.
    """
    first: dict[tuple[object, ...], Problem] = {}
    for problem in problems:
        first.setdefault((problem.line, problem.column, problem.code, problem.sample, problem.variable), problem)
    return sorted(first.values(), key=lambda problem: (problem.line, problem.column, problem.code))
