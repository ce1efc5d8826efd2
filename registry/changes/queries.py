"""Queries about change requests: single ones, lists, related requests, and stopped rollouts of what they propose.

Nothing here imports `registry.rollouts`, which builds on this package: its rows are read through the template.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes.events import ChangeDecided, ChangeWithdrawn
from registry.changes.models import ChangeRequest, Decision
from registry.changes.review_events import CommentAdded
from registry.changes.rollout_plans import name_share
from registry.core.errors import Conflict, NotFound
from registry.core.pagination import Page, check_limit, cut_page, read_number
from registry.evaluations.models import Run
from registry.journal import log
from registry.journal.models import Event
from registry.namespaces import permissions
from registry.namespaces.permissions import list_visible_namespaces
from registry.namespaces.verbs import Verb
from registry.templates.approved_versions import find_last_approved_version
from registry.templates.label_events import LabelMoved
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Template, Version
from registry.templates.queries import filter_by_namespaces

__all__ = [
    "MAX_PENDING",
    "StoppedRollout",
    "count_comments_and_decisions",
    "count_pending",
    "find_baseline",
    "find_change",
    "find_closer",
    "find_last_outdated_decision",
    "find_next_in_release",
    "find_publishing_move",
    "get_change",
    "has_finished_run",
    "list_changes",
    "list_members",
    "list_overlapping",
    "list_pending",
    "list_run_numbers",
    "list_stopped_changes",
    "list_versions_between",
    "lock_change",
    "read_journal_head",
    "read_stopped_rollouts",
]

MAX_PENDING = 200
# Includes emergencies that still need approval. A union, since each half has an index and an OR would use neither.
_PENDING = ChangeRequest.objects.pending().values("pk")
_IS_PENDING = Q(pk__in=_PENDING.union(ChangeRequest.objects.in_emergency().values("pk"), all=True))
_RELATED = (
    "template",
    "template__namespace",
    "version",
    "version__author",
    "opened_by",
    "release__opened_by",
    "release__namespace",
)


def get_change(actor: Actor, number: int) -> ChangeRequest:
    """The request with its template, head and people. Raises NotFound, for outsiders too."""
    return find_change(actor, Verb.READ, number)


def find_change(actor: Actor, verb: Verb, number: int) -> ChangeRequest:
    """The request, after checking the right to do this to its template."""
    rows = ChangeRequest.objects.select_related(*_RELATED, "template__latest")
    change = rows.defer("template__latest__bundle").filter(number=number).first()
    if change is None:
        raise _refuse_unknown(number)
    try:
        permissions.require_verb(actor, verb, change.template.namespace, change.template.path)
    except NotFound as error:
        raise _refuse_unknown(number) from error
    permissions.require_label(actor, change.label)
    return change


def lock_change(actor: Actor, verb: Verb, number: int) -> ChangeRequest:
    """The request, locked until commit: it, its label and the namespace's rules can't change before that."""
    # Only the template's row: setting rules writes requests under the journal's lock, and would wait for a locked one.
    Template.objects.select_for_update(no_key=True, of=("self",)).filter(changes__pk=number).values_list("pk").first()
    log.lock()
    change = find_change(actor, verb, number)
    if change.template.archived_at is not None:
        raise Conflict(gettext("{template} is archived.").format(template=change.template.name))
    return change


def _refuse_unknown(number: int) -> NotFound:
    return NotFound(gettext("There is no change {number}, or you don't have access to it.").format(number=number))


def list_changes(
    actor: Actor,
    *,
    state: str | None = None,
    namespace: str | None = None,
    template: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[ChangeRequest]:
    """List requests that match every filter, newest first. state: open, approved, published, withdrawn, or `pending`
    for all that await somebody: open and approved ones, and emergencies that are neither approved nor closed.
    """
    limit = check_limit(limit)
    spaces = list_visible_namespaces(actor)
    spaces = spaces.filter(name=namespace) if namespace else spaces
    rows = filter_by_namespaces(ChangeRequest.objects.all(), spaces, template)
    if state == "pending":
        rows = rows.filter(_IS_PENDING)
    elif state:
        rows = rows.filter(state=state)
    if before := read_number(cursor):
        rows = rows.filter(number__lt=before)
    return cut_page(_load_newest(rows, limit + 1), limit, lambda change: change.number)


def list_pending(actor: Actor) -> list[ChangeRequest]:
    """The newest `MAX_PENDING` pending requests that the actor may read, newest first."""
    return _load_newest(_select_pending(actor), MAX_PENDING)


def _load_newest(rows: QuerySet[ChangeRequest], limit: int) -> list[ChangeRequest]:
    """Load the newest of these requests with their templates, heads and people, newest first.

    Their numbers are fetched first: PostgreSQL reorders joins of at most eight tables (join_collapse_limit), and the
    related ones exceed that. It would read the relations of all requests before it filters the pending ones.
    """
    numbers = list(rows.order_by("-number").values_list("number", flat=True)[:limit])
    newest = ChangeRequest.objects.filter(number__in=numbers).select_related(*_RELATED)
    return list(newest.defer("version__bundle").order_by("-number"))


def count_pending(actor: Actor) -> int:
    """How many pending requests the actor may read, as in `list_changes` with `pending`."""
    return _select_pending(actor).count()


def _select_pending(actor: Actor) -> QuerySet[ChangeRequest]:
    return ChangeRequest.objects.filter(_IS_PENDING, template__namespace__in=list_visible_namespaces(actor))


def read_journal_head() -> str:
    """The hash of the journal's last event, which changes with every decision about any request."""
    return log.read_head()


def list_members(releases: Collection[int]) -> list[ChangeRequest]:
    """All requests of these releases, ordered by template name."""
    rows = ChangeRequest.objects.filter(release__in=releases).select_related(*_RELATED, "template__latest")
    return list(rows.defer("version__bundle", "template__latest__bundle").order_by("template__name", "number"))


def find_next_in_release(change: ChangeRequest) -> ChangeRequest | None:
    """The next change in its release, wrapping around; None if it is the only one or in no release."""
    members = list_members([change.release_id]) if change.release_id is not None else []
    position = next((index for index, member in enumerate(members) if member.pk == change.pk), 0)
    return members[(position + 1) % len(members)] if len(members) > 1 else None


def find_publishing_move(change: ChangeRequest) -> LabelMove | None:
    """The label move that published the request, or None."""
    moves = change.label_moves.select_related("before", "after", "person")
    return moves.defer("before__bundle", "after__bundle").order_by("pk").first()


def find_baseline(change: ChangeRequest) -> Version | None:
    """The version that the request is compared with: what the label served when it was published, else what it serves
    now.

    If that is the unapproved proposed version itself, it is what the label held by approval before.
    """
    move = None if change.is_open else find_publishing_move(change)
    if move is not None:
        version_id = move.before_id
    else:
        rows = Label.objects.filter(template=change.template_id, name=change.label)
        version_id = rows.values_list("version_id", flat=True).first()
    if version_id == change.version_id:
        earlier = find_last_approved_version(change.template, change.label, before=move)
        version_id = earlier.pk if earlier and earlier.pk != version_id else None
    if version_id is None:
        return None
    version = Version.objects.select_related("author", "redaction__person").filter(pk=version_id).first()
    if version is not None:
        version.template = change.template
    return version


def find_closer(change: ChangeRequest) -> str:
    """The username of the person who published or last withdrew the request, or empty."""
    kinds = (LabelMoved.kind, ChangeWithdrawn.kind)
    rows = Event.objects.filter(change=change.number, kind__in=kinds).order_by("-number")
    return rows.values_list("person", flat=True).first() or ""


def list_overlapping(change: ChangeRequest) -> list[ChangeRequest]:
    """Other pending requests for the same label of the same template."""
    pending = ChangeRequest.objects.filter(
        template=change.template, label=change.label, state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED)
    )
    return list(pending.exclude(pk=change.pk).select_related("version", "opened_by").order_by("number"))


def list_run_numbers(change: ChangeRequest, limit: int = 6) -> list[int]:
    """The numbers of the newest evaluation runs that the request's check started."""
    return list(Run.objects.filter(change=change.pk).order_by("-pk").values_list("pk", flat=True)[:limit])


def has_finished_run(change: ChangeRequest) -> bool:
    """Whether the proposed version was evaluated, no matter who started the run."""
    rows = Run.objects.filter(template=change.template_id, version__digest=change.version.digest, state=Run.DONE)
    return rows.exists()


def list_versions_between(change: ChangeRequest, numbers: Sequence[int]) -> list[Version]:
    """The versions of the request's template with these numbers, oldest first, with their authors."""
    if not numbers:
        return []
    rows = Version.objects.filter(template=change.template_id, number__in=numbers).select_related("author")
    return list(rows.defer("bundle").order_by("number"))


def find_last_outdated_decision(change: ChangeRequest, actor: Actor) -> Decision | None:
    """The person's last decision on an earlier head, or None; always None for the opener and the head's author."""
    if actor.person.pk in (change.opened_by_id, change.version.author_id):
        return None
    decisions = change.decisions.filter(person=actor.person).exclude(decision=Decision.TAKE_BACK)
    last_decision = decisions.select_related("version").order_by("-pk").first()
    return last_decision if last_decision is not None and last_decision.digest != change.version.digest else None


def count_comments_and_decisions(change: ChangeRequest) -> int:
    """Count the comments and decisions on the request."""
    return Event.objects.filter(change=change.number, kind__in=(ChangeDecided.kind, CommentAdded.kind)).count()


@dataclass(frozen=True)
class StoppedRollout:
    """A rollout that was stopped by its rule or by a person. share: that it served then, in ten-thousandths. reason:
    why, as given by the person or the rule.
    """

    number: int
    change: int
    share: int
    ended_at: datetime
    reason: str

    @property
    def share_name(self) -> str:
        """The share as percent: `2.5 %`."""
        return name_share(self.share)


def read_stopped_rollouts(places: Collection[tuple[str, int]]) -> Mapping[tuple[str, int], StoppedRollout]:
    """Map (label, version id) to its newest rollout, if that was stopped and the label didn't move to the version
    since; for versions that the caller may read. One query, none without places.
    """
    if not places:
        return {}
    versions = {version for _, version in places}
    moved = LabelMove.objects.filter(
        template=OuterRef("pk"),
        label=OuterRef("rollouts__label"),
        after=OuterRef("rollouts__candidate"),
        created_at__gt=OuterRef("rollouts__ended_at"),
    )
    rows = Template.objects.filter(rollouts__candidate__in=versions).annotate(has_moved=Exists(moved))
    facts = ("number", "change", "share", "ended_at", "reason")
    columns = ("label", "candidate", "state", *facts)
    newest: dict[tuple[str, int], StoppedRollout | None] = {}
    listed = rows.order_by("rollouts__number").values_list("has_moved", *(f"rollouts__{name}" for name in columns))
    for has_moved, label, version, state, *values in listed:
        newest[label, version] = StoppedRollout(*values) if state == "stopped" and not has_moved else None
    return {place: stop for place in places if (stop := newest.get(place)) is not None}


def list_stopped_changes(changes: Iterable[ChangeRequest]) -> dict[int, StoppedRollout]:
    """Map the number of each open change to the stopped rollout of what it proposes, as `read_stopped_rollouts`."""
    proposed = {change.number: (change.label, change.version_id) for change in changes if change.is_open}
    stopped = read_stopped_rollouts(set(proposed.values()))
    return {number: stopped[place] for number, place in proposed.items() if place in stopped}
