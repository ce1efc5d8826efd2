"""Editor actions: save the text as a version, propose a version for a label."""

from dataclasses import dataclass, field
from typing import Literal

from django.utils.translation import gettext

from frontend.editor.change_message import describe_change
from frontend.editor.preview import drop_spent_samples
from frontend.editor.state import EditorState
from frontend.web.findings import translate_finding
from promptuary.renderer.problems import Problem
from registry.accounts.actor import Actor
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Invalid, PromptuaryError, Stale
from registry.core.problem_details import find_status
from registry.templates import document_check, label_queries, version_queries
from registry.templates import save as template_save
from registry.templates.models import Draft, Version

__all__ = ["ActionResult", "propose_version", "save_text"]


@dataclass(frozen=True)
class ActionResult:
    """The result of an action, and the HTTP status of the response.

    `offers` are protected labels that could be moved to `version` by a proposal; `newer` is the version that another
    user saved meanwhile, shown with the available choices; `newer_draft` is the draft that was saved elsewhere.
    """

    kind: Literal["saved", "refused", "conflict", "newer-draft", "proposed"]
    status: int = 200
    version: Version | None = None
    created: bool = False
    offers: list[str] = field(default_factory=list)
    newer: Version | None = None
    newer_draft: Draft | None = None
    change: ChangeRequest | None = None
    error: PromptuaryError | None = None

    @property
    def problems(self) -> list[Problem] | None:
        """All problems of a refused document, else None."""
        return self.error.problems if isinstance(self.error, Invalid) and self.error.problems else None

    @property
    def blocking(self) -> list[Problem]:
        """The problems that prevent saving the document."""
        return [problem for problem in self.problems or [] if problem.severity == "error"]

    @property
    def sentences(self) -> list[str]:
        """The refusal in words, unless it consists of problems in the document."""
        if self.problems or self.error is None:
            return []
        fields = self.error.fields if isinstance(self.error, Invalid) else {}
        sentences = [f"{name}: {translate_finding(sentence)}" for name, sentence in fields.items()]
        return sentences or [translate_finding(self.error.message)]


def save_text(actor: Actor, state: EditorState, *, parallel: bool = False, onto: str = "") -> ActionResult:
    """Save the text as a version. parallel: alongside a newer one. onto: digest of a newer version to use as base."""
    base = onto or (state.base.digest if state.base else None)
    try:
        if state.latest is None:  # only a new template has samples of an example
            drop_spent_samples(state, document_check.read_document(actor, state.document))
        saved = template_save.save_version(
            actor=actor,
            name=state.name,
            document=state.document,
            message=state.message or describe_change(state),
            samples=state.samples_to_save,
            base=base,
            parallel=parallel,
            draft_name=state.draft_name,
            draft_revision=state.revision,
        )
    except Stale as error:
        newer = version_queries.resolve_version(actor, state.name, "latest") if state.template else None
        return ActionResult("conflict", find_status(error), newer=newer, error=error)
    except PromptuaryError as error:
        return ActionResult("refused", find_status(error), error=error)
    numbers = label_queries.read_label_numbers(saved.template)
    protected = saved.template.namespace.protected_labels
    offers = [label for label in protected if numbers.get(label) != saved.version.number]
    return ActionResult("saved", version=saved.version, created=saved.created, offers=offers)


def propose_version(actor: Actor, state: EditorState, label: str, number: int) -> ActionResult:
    """Open a change request that moves a protected label to a version of this template."""
    version = version_queries.get_version(actor, state.name, number)
    message = version.message or gettext("Version {number}").format(number=number)
    try:
        change = change_services.propose_change(
            actor=actor, name=state.name, label=label, version=number, message=message
        )
    except PromptuaryError as error:
        return ActionResult("refused", find_status(error), error=error, version=version)
    return ActionResult("proposed", change=change, version=version)
