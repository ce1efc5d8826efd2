"""The fields of panels that open releases: a title, a reason, the reviewers, and when it goes live."""

from collections.abc import Collection, Sequence
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext

from frontend.changes.goes_live import read_date, read_goes_live
from frontend.changes.propose_views import list_review_candidates
from frontend.releases.planned_members import MemberRow, read_ticked
from frontend.web.forms import LinesField, add_errors, set_choices
from registry.accounts.actor import Actor
from registry.changes import schedules as change_schedules
from registry.changes.review_requests import ReviewCandidate
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.core.problem_details import find_status
from registry.releases import schedules
from registry.releases.moved_members import MemberVersions

__all__ = ["ProposalForm"]

_MAX_TITLE_LENGTH = 200


class ProposalForm(forms.Form):
    """A title, a reason, and reviewers in addition to the owners.

    refusal: the refusal of the date, which the panel shows at its field.
    """

    title = forms.CharField(max_length=_MAX_TITLE_LENGTH)
    description = LinesField(required=False, max_length=10_000)
    reviewers = forms.MultipleChoiceField(required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.refusal: Invalid | None = None
        self._candidates: dict[str, list[ReviewCandidate]] = {}

    def suggest_title(self, rows: Sequence[MemberRow], source: str, target: str) -> None:
        """Prefill the title with the message that all versions share, or else with the labels."""
        shared = {row.message.strip() for row in rows}
        title = shared.pop() if len(shared) == 1 else ""
        if not title or len(title) > _MAX_TITLE_LENGTH:
            title = gettext("Promote {source} to {target}").format(source=source, target=target)
        self.initial["title"] = title

    def offer_reviewers(self, actor: Actor, rows: Sequence[MemberRow]) -> None:
        """Offer the users whose approval would count for some of the templates."""
        self._candidates = {row.member.template.name: list_review_candidates(actor, row.preview) for row in rows}
        set_choices(
            self,
            "reviewers",
            [(candidate.person, candidate.person) for candidate in self._list_people(self._candidates)],
        )

    def propose(
        self, request: HttpRequest, actor: Actor, chosen: Collection[str], **proposal: Any
    ) -> tuple[list[int], int]:
        """Open the releases that the valid form requests. Returns their numbers and the status; without numbers the
        errors are in the form. proposal: as taken by `schedules.propose_releases_at`.
        """
        owners = [candidate.person for candidate in self._list_people(chosen) if candidate.reason == "owner"]
        # Options that the panel doesn't offer are refused with the reason, not ignored.
        unplanned: MemberVersions = {name: (0, 0) for name in chosen if name not in self._candidates}
        try:
            proposed = schedules.propose_releases_at(
                actor=actor,
                at=read_date(request.POST),
                title=self.cleaned_data["title"],
                description=self.cleaned_data["description"],
                reviewers=[*owners, *self.cleaned_data["reviewers"]],
                expected={**read_ticked(request.POST.getlist("expected"), chosen), **unplanned},
                **proposal,
            )
        except (Invalid, Conflict, NotAllowed) as error:
            if isinstance(error, Invalid) and change_schedules.FIELD in error.fields:
                self.refusal = error
            else:
                add_errors(self, error)
            return [], find_status(error)
        return [one.release.number for one in proposed], 302

    def context(self, request: HttpRequest) -> dict[str, Any]:
        """The context of the form's fields."""
        people = self._list_people(self._candidates)
        return {
            "form": self,
            "owners_asked": [candidate.person for candidate in people if candidate.reason == "owner"],
            "candidates": [candidate for candidate in people if candidate.reason != "owner"],
            "asked": self["reviewers"].value() or [],
            "goes_live": read_goes_live(request.POST),
            "refusal": self.refusal,
        }

    def _list_people(self, names: Collection[str]) -> list[ReviewCandidate]:
        """Each user once, as an owner if they own one of these templates."""
        people: dict[str, ReviewCandidate] = {}
        for name in names:
            for candidate in self._candidates.get(name, ()):
                if candidate.person not in people or candidate.reason == "owner":
                    people[candidate.person] = candidate
        return list(people.values())
