"""Asking a reviewer to review a release, and reminding them."""

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import review_requests
from registry.core.errors import Conflict, Invalid
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.releases import gate as release_gate
from registry.releases.queries import lock_release
from registry.releases.steps import require_open_release

__all__ = ["ask_for_release_review"]


def ask_for_release_review(*, actor: Actor, number: int, person: str, field: str = "person") -> list[int]:
    """Ask a reviewer to review each change of the release that still needs approvals, or remind them. Returns the
    numbers of these changes.

    Changes that the person decided on, was asked about in the last day or can't approve are skipped, and those that the
    actor may not comment on. If none are left, raises Invalid or Conflict for the first, as in `ask_for_review`. Raises
    Conflict if the release is closed or needs no approval. field: the field that Invalid names.
    """
    with transaction.atomic():
        release = lock_release(actor, Verb.COMMENT, number)
        require_open_release(release)
        numbers: list[int] = []
        refusals: list[Invalid | Conflict] = []
        for member in release_gate.evaluate_release(release, actor).open_members:
            change = member.change
            if member.gate.approval_status.is_enough:
                continue
            if not permissions.is_allowed(actor, Verb.COMMENT, release.namespace, change.template.path):
                continue
            try:
                review_requests.ask_reviewers(actor, change, [person], field=field)
            except (Invalid, Conflict) as error:  # nothing was stored for this change
                refusals.append(error)
            else:
                numbers.append(change.number)
        if not numbers:
            raise refusals[0] if refusals else _refuse_without_requests(number)
    return numbers


def _refuse_without_requests(number: int) -> Conflict:
    return Conflict(gettext("Release {number} needs no further approval.").format(number=number), release=number)
