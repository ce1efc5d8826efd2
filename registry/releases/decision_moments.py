"""What people decided on the templates of a release, for its conversation: one moment for each act."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from registry.changes.models import Decision
from registry.changes.thread_models import CommentRevision
from registry.changes.thread_queries import CommentText, read_comment_text
from registry.releases.models import Release

__all__ = ["DecisionMoment", "list_decision_moments"]

_LIMIT = 500
_SHOWN = (Decision.APPROVE, Decision.REQUEST_CHANGES)
_PAUSE = timedelta(minutes=1)  # decisions with the same words and a longer pause between them are different acts


@dataclass(frozen=True)
class DecisionMoment:
    """An approval of templates, or a request for edits of them. templates: each path and version, `reply v2`. said: the
    text of the first of these decisions, as it reads now.
    """

    at: datetime
    person: str
    decision: str
    templates: tuple[str, ...]
    comment_text: CommentText


def list_decision_moments(release: Release, removed: Mapping[int, datetime] | None = None) -> list[DecisionMoment]:
    """The acts since the release was opened, oldest first, up to the newest five hundred decisions; two queries.

    removed: the requests that were removed from it, and when: what was decided on them before that is part of it.
    """
    is_of_release = Q(change__release=release)
    for number, at in (removed or {}).items():
        is_of_release |= Q(change=number, created_at__lte=at)
    rows = Decision.objects.filter(is_of_release, decision__in=_SHOWN, created_at__gte=release.created_at)
    rows = rows.select_related("person", "change__template__namespace", "version").defer("version__bundle")
    newest = list(rows.order_by("-pk")[:_LIMIT])
    revisions: defaultdict[tuple[int, int], list[CommentRevision]] = defaultdict(list)
    of_changes = CommentRevision.objects.filter(change__in={row.change_id for row in newest}, thread=0)
    for row in of_changes.order_by("number"):
        revisions[row.change_id, row.comment].append(row)
    acts: list[list[Decision]] = []
    for decision in reversed(newest):
        if acts and _is_same_act(acts[-1][-1], decision):
            acts[-1].append(decision)
        else:
            acts.append([decision])
    return [_to_moment(act, revisions.get((act[0].change_id, act[0].number), ())) for act in acts]


def _is_same_act(before: Decision, after: Decision) -> bool:
    """Whether both were made together: an act decides on the changes in the order of their numbers."""
    is_same = (before.person_id, before.decision, before.text) == (after.person_id, after.decision, after.text)
    return is_same and before.change.number < after.change.number and after.created_at - before.created_at < _PAUSE


def _to_moment(act: Sequence[Decision], revisions: Sequence[CommentRevision]) -> DecisionMoment:
    first = act[0]
    return DecisionMoment(
        at=first.created_at,
        person=first.person.username,
        decision=first.decision,
        templates=tuple(f"{decision.change.template.path} v{decision.version.number}" for decision in act),
        comment_text=read_comment_text(first.text, first.created_at, revisions),
    )
