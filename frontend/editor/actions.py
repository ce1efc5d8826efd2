"""What the editor's buttons came to: saved, refused, overtaken by somebody else, proposed."""

from dataclasses import dataclass, field
from typing import Literal

from frontend.editor.state import EditorState
from promptuary.renderer.problems import Problem
from registry.accounts.actor import Actor
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Invalid, PromptuaryError, Stale
from registry.core.problem_details import status_of
from registry.templates import label_queries, version_queries
from registry.templates import save as template_save
from registry.templates.models import Version

__all__ = ["ActionResult", "propose", "save"]


@dataclass(frozen=True)
class ActionResult:
    """`status` is the HTTP status that fits. `offers` are protected labels that could be asked to move to `version`;
    `newer` is the version somebody saved meanwhile, shown with the ways on."""

    kind: Literal["saved", "refused", "conflict", "proposed"]
    status: int = 200
    version: Version | None = None
    created: bool = False
    offers: list[str] = field(default_factory=list)
    newer: Version | None = None
    change: ChangeRequest | None = None
    error: PromptuaryError | None = None

    @property
    def problems(self) -> list[Problem] | None:
        """All problems of a refused document, else None."""
        return self.error.problems if isinstance(self.error, Invalid) and self.error.problems else None

    @property
    def blocking(self) -> list[Problem]:
        return [problem for problem in self.problems or [] if problem.severity == "error"]

    @property
    def sentences(self) -> list[str]:
        """What was refused, in words, where it is not the document's own problems."""
        if self.problems or self.error is None:
            return []
        fields = self.error.fields if isinstance(self.error, Invalid) else {}
        return [f"{name}: {sentence}" for name, sentence in fields.items()] or [self.error.message]


def save(actor: Actor, desk: EditorState, *, parallel: bool = False, onto: str = "") -> ActionResult:
    """Save the desk as a version. parallel: beside a newer one. onto: the newer version's digest, taken as the base."""
    base = onto or (desk.base.digest if desk.base else None)
    try:
        saved = template_save.save(
            actor=actor,
            name=desk.name,
            document=desk.document,
            message=desk.message,
            samples=desk.samples_to_save,
            base=base,
            parallel=parallel,
        )
    except Stale as error:
        newer = version_queries.resolve(actor, desk.name, "latest") if desk.template else None
        return ActionResult("conflict", status_of(error), newer=newer, error=error)
    except PromptuaryError as error:
        return ActionResult("refused", status_of(error), error=error)
    standing = label_queries.numbers_of(saved.template)
    protected = saved.template.namespace.protected_labels
    offers = [label for label in protected if standing.get(label) != saved.version.number]
    return ActionResult("saved", version=saved.version, created=saved.created, offers=offers)


def propose(actor: Actor, desk: EditorState, label: str, number: int) -> ActionResult:
    """Ask that a protected label point to a version that was saved here."""
    version = version_queries.get(actor, desk.name, number)
    try:
        change = change_services.propose_change(
            actor=actor, name=desk.name, label=label, version=number, message=version.message or f"Version {number}"
        )
    except PromptuaryError as error:
        return ActionResult("refused", status_of(error), error=error, version=version)
    return ActionResult("proposed", change=change, version=version)
