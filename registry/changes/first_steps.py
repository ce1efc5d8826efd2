"""The checklist of a new author: which first steps they have done, derived from their stored work."""

from dataclasses import dataclass

from django.db.models import Exists

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.changes.models import ChangeRequest, Decision
from registry.namespaces.models import Membership, Role
from registry.namespaces.permissions import filter_by_role
from registry.templates.models import Draft, Version

__all__ = ["FirstStep", "list_first_steps"]

_WRITERS = (Role.AUTHOR, Role.REVIEWER, Role.ADMIN)
_REVIEWERS = (Role.REVIEWER, Role.ADMIN)


@dataclass(frozen=True)
class FirstStep:
    """A first step: `draft`, `save`, `propose`, `review` or `fetch`, and whether the person has done it."""

    name: str
    is_done: bool


def list_first_steps(actor: Actor) -> list[FirstStep]:
    """The steps in order; none for readers, for people who hid the list, and once all are done.

    One query, or none while the list is hidden.
    """
    person = actor.person
    if person.checklist_closed_at is not None:
        return []
    memberships = Membership.objects.filter(person=person)
    stored = User.objects.filter(pk=person.pk).values(
        writes=Exists(memberships.filter(filter_by_role(_WRITERS))),
        reviews=Exists(memberships.filter(filter_by_role(_REVIEWERS))),
        draft=Exists(Draft.objects.filter(person=person)),
        save=Exists(Version.objects.filter(author=person)),
        propose=Exists(ChangeRequest.objects.filter(opened_by=person)),
        review=Exists(Decision.objects.filter(person=person)),
        fetch=Exists(Key.objects.filter(person=person, last_used_at__isnull=False)),
    )
    facts = {name: bool(value) for name, value in stored.get().items()}
    names = ["draft", "save", "propose", *(["review"] if facts["reviews"] else []), "fetch"]
    facts["draft"] |= facts["save"]  # saving deletes the draft
    if not facts["writes"] or all(facts[name] for name in names):
        return []
    return [FirstStep(name, facts[name]) for name in names]
