"""Checking a document: all that can be wrong with it, before any transaction and without storing anything."""

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
from promptuary.renderer.problems import Problem, only_errors
from promptuary.renderer.validation.standards import Subject, check_standards
from promptuary.renderer.validation.undeclared_inputs import UndeclaredInputs, find_undeclared_inputs
from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Invalid
from registry.core.input_checks import DOCUMENT_BYTES, SAMPLES_BYTES, check_size, check_text
from registry.core.lru import Recent
from registry.core.renderer_pool import child
from registry.journal.event import canonical, digest_of
from registry.namespaces import key_rights, permissions
from registry.namespaces.models import Namespace
from registry.namespaces.rules import standards_of
from registry.namespaces.verbs import Verb
from registry.templates import fragments
from registry.templates.models import Template

__all__ = [
    "CheckedDocument",
    "canonical_by_name",
    "check_document",
    "check_for_caller",
    "list_problems",
    "write_samples",
]

Samples = Mapping[str, Mapping[str, Any]]
_MOST_SAMPLES = 200
_LIMITS = "PT70"  # the renderer's codes for a bound that was hit
_seen: Recent[tuple[str, str], list[Problem]] = Recent(most=256)


@dataclass(frozen=True)
class CheckedDocument:
    """A document with its verdict. `bundle` is canonical text, empty as long as `document` can't be read."""

    document: Document | None
    problems: list[Problem]
    bundle: str
    digest: str

    @property
    def is_sound(self) -> bool:
        """Whether it can be saved: warnings and notes are no hindrance."""
        return bool(self.bundle) and not only_errors(self.problems)

    @property
    def fragment_texts(self) -> dict[str, str]:
        """The texts of the fragments by reference as written; none if the document can't be read."""
        return json.loads(self.bundle)["fragments"] if self.bundle else {}

    @cached_property
    def undeclared(self) -> UndeclaredInputs:
        """The inputs that the text uses and does not declare; none if it can't be read."""
        if self.document is None:
            return UndeclaredInputs()
        return find_undeclared_inputs(self.document.text, self.fragment_texts)


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
    """The document with its verdict, for callers who may ask for one. References are resolved with the actor's
    rights. template: the name it would be saved by, in a namespace whose standards the caller may ask about.
    """
    if actor.key is not None:
        key_rights.require_key(actor.key, Verb.CHECK)
    if template is not None:
        namespace, _ = names.check_template(template)
        permissions.find_namespace(actor, Verb.CHECK, namespace)
    return check_document(actor, document, samples, name=template)


def check_document(
    actor: Actor, document: str, samples: Samples | None = None, *, name: str | None = None
) -> CheckedDocument:
    """Read, resolve, render on each sample and count; the author's template runs in the bounded child only.

    What was checked lately with the same digest and samples is not checked again: a save follows its own check.
    name: of the template that it is for, which exists or not; the standards of its namespace are checked too.
    """
    if not isinstance(document, str):
        raise Invalid(fields={"document": gettext("this must be text.")})
    check_size("document", len(document.encode("utf-8", "surrogatepass")), DOCUMENT_BYTES)
    data = write_samples(samples or {})
    read, problems = documents.inspect_document(document)
    if read is None:
        return CheckedDocument(None, problems, "", "")
    profile, faults = _profile_of(read)
    resolved = fragments.resolve_fragments(actor, read)
    bundle = {"engine": renderer.ENGINE, "document": document, "fragments": resolved.texts, "profile": profile}
    digest = renderer.digest(bundle)
    report = _seen.get((digest, digest_of(data)), lambda: _validate(bundle, samples or {}), keep=_is_lasting)
    if name is not None:
        faults += _standards_problems(name, read, samples, resolved.texts.values())
    return CheckedDocument(read, _in_order([*resolved.problems, *faults, *report]), canonical(bundle), digest)


def _standards_problems(
    name: str, document: Document, samples: Samples | None, fragment_texts: Collection[str]
) -> list[Problem]:
    """Where the document does not meet its namespace's standards. Samples that aren't given are those there are."""
    space, _, path = name.partition("/")
    namespace = Namespace.objects.filter(name=space).first()
    if namespace is None or not namespace.standards:
        return []
    template = Template.objects.filter(name=name).first()
    sample_set = template.current_samples() if template and samples is None else None
    sample_names = samples if samples is not None else sample_set.samples if sample_set else ()
    subject = Subject(document, path, template is not None, list(sample_names), fragment_texts)
    return check_standards(standards_of(namespace), subject)


def _validate(bundle: dict[str, Any], samples: Samples) -> list[Problem]:
    with child() as bounded:
        return bounded.validate(
            bundle["document"], fragments=bundle["fragments"], profile=bundle["profile"], samples=dict(samples)
        )


def _is_lasting(problems: list[Problem]) -> bool:
    """Whether the same check would say the same again; what hit a bound of time may not."""
    return not any(problem.code.startswith(_LIMITS) for problem in problems)


def write_samples(samples: object) -> str:
    """The text of samples in their order: {"name": {"input": value}}. Raises Invalid or TooLarge for all else."""
    if not isinstance(samples, Mapping) or not all(isinstance(values, Mapping) for values in samples.values()):
        raise Invalid(fields={"samples": gettext('samples are {"name": {"input": value}}.')})
    if len(samples) > _MOST_SAMPLES:
        raise Invalid(
            fields={
                "samples": gettext("at most {most_samples} samples; these are {count}.").format(
                    most_samples=_MOST_SAMPLES, count=len(samples)
                )
            }
        )
    for name in samples:
        check_text("samples", name, 200)
        if not name.strip() or not name.isprintable():
            raise Invalid(
                fields={
                    "samples": gettext("{value!r} is no name: printable characters, one line.").format(value=name[:80])
                }
            )
    try:
        text = canonical_by_name(samples)
    except (rfc8785.CanonicalizationError, RecursionError, UnicodeEncodeError) as error:
        raise Invalid(
            fields={"samples": gettext("a value that JSON can't say exactly: {error}").format(error=error)}
        ) from error
    check_size("samples", len(text.encode("utf-8")), SAMPLES_BYTES)
    return text


def canonical_by_name(values: Mapping[str, Any]) -> str:
    """Canonical JSON of each value under its name; the names stay in the order that they were given in."""
    return "{" + ",".join(f"{canonical(name)}:{canonical(value)}" for name, value in values.items()) + "}"


def _profile_of(document: Document) -> tuple[dict[str, Any] | None, list[Problem]]:
    """The profile that `profile:` names, else the one that knows the model, else none."""
    if document.profile is None:
        return (profiles.for_model(document.model) if document.model else None), []
    try:
        return profiles.find_builtin_profile(document.profile), []
    except RenderError as error:
        return None, [error.located(document.place("profile")).to_problem()]


def _in_order(problems: list[Problem]) -> list[Problem]:
    """By place; of several with one code at one place the first counts, which is the one that knows the registry."""
    first: dict[tuple[object, ...], Problem] = {}
    for problem in problems:
        first.setdefault((problem.line, problem.column, problem.code, problem.sample, problem.variable), problem)
    return sorted(first.values(), key=lambda problem: (problem.line, problem.column, problem.code))
