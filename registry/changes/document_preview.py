"""Preview of proposing a document that isn't saved: the effects on the label, and the checks that would fail."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from promptuary.renderer.problems import Problem, select_errors
from registry.accounts.actor import Actor
from registry.changes import check_runners, checks, label_preview, version_checks
from registry.changes.checks import Check
from registry.changes.label_preview import LabelPreview
from registry.changes.models import ChangeRequest, Verdict
from registry.core import names
from registry.core.errors import Conflict, Invalid, NotFound
from registry.evaluations import attachment_queries
from registry.namespaces import permissions
from registry.namespaces.rules import CHECKS, read_rules
from registry.namespaces.verbs import Verb
from registry.templates import inclusions
from registry.templates import queries as template_queries
from registry.templates.document_check import CheckedDocument, check_document
from registry.templates.models import Template, Version

__all__ = ["DocumentPreview", "preview_document"]

_UNSAVED = 0  # the id of rows that aren't stored, which no stored row has


@dataclass(frozen=True)
class DocumentPreview:
    """The effects of saving a document and proposing it.

    move: of the version that saving would make; its checks were run now, apart from evaluations. problems: those of the
    document; with an error it can't be saved, and no check was run.
    """

    move: LabelPreview
    problems: list[Problem]


def preview_document(*, actor: Actor, name: str, label: str, document: str) -> DocumentPreview:
    """Preview saving the document as the next version of the template and proposing it for the label; for those who may
    save there. Nothing is stored. The template need not exist.

    Raises Invalid with all problems if the document can't be read, Conflict if the template is archived or `name` is a
    former name.
    """
    names.check_label(label)
    template = _find_or_build_template(actor, name)
    permissions.require_label(actor, label)
    sample_set = template.current_samples()
    checked = check_document(actor, document, sample_set.samples if sample_set else None, name=name)
    if not checked.bundle:
        raise Invalid(problems=checked.problems)
    version = _build_version(actor, template, checked)
    move = label_preview.preview_moves(label, [(template, version)])[0]
    if not select_errors(checked.problems):
        move = replace(move, checks=tuple(_run_checks(move)))
    return DocumentPreview(move, checked.problems)


def _find_or_build_template(actor: Actor, name: str) -> Template:
    """The template, or one that isn't stored, if the actor may save it and read it."""
    space, path = names.check_template(name)
    namespace = permissions.find_namespace(actor, Verb.READ, space)
    permissions.find_namespace(actor, Verb.SAVE, space, path)
    try:
        template = template_queries.find_template(actor, Verb.SAVE, name)
    except NotFound:
        return Template(pk=_UNSAVED, namespace=namespace, name=name, created_by=actor.person)
    if template.archived_at is not None:
        raise Conflict(gettext("{name} is archived: an admin can restore it.").format(name=name))
    return template


def _build_version(actor: Actor, template: Template, checked: CheckedDocument) -> Version:
    """The version that a save would make; the latest one if the document is the same."""
    latest = template.latest
    if latest is not None and latest.digest == checked.digest:
        return latest
    return Version(
        pk=_UNSAVED,
        template=template,
        number=latest.number + 1 if latest else 1,
        digest=checked.digest,
        bundle=checked.bundle,
        base=latest,
        author=actor.person,
    )


def _run_checks(move: LabelPreview) -> Iterator[Check]:
    """Run the checks that a change request would have. Evaluations need runs, so theirs has no result."""
    required = checks.list_required_checks(read_rules(move.template.namespace))
    change = ChangeRequest(template=move.template, label=move.label, version=move.version)
    case = check_runners.read_case(change)
    for name in CHECKS:
        is_required = name in required
        if _is_void(name, move.template):
            if is_required:
                yield Check(name, "", is_required, Verdict.PASSED, checks.VOID[name])
        elif name == "evaluation":
            yield version_checks.build_unrun_check(name, is_required=is_required)
        elif (result := check_runners.RUNNERS[name](case)) is not None:
            outcome = Verdict.PASSED if result.passed else Verdict.FAILED
            yield Check(name, "", is_required, outcome, result.summary, tuple(result.details))


def _is_void(name: str, template: Template) -> bool:
    """Whether the check has nothing to look at."""
    if name == "dependants":
        return not inclusions.list_including_templates(template)
    return name == "evaluation" and not attachment_queries.list_plans_of_template(template)
