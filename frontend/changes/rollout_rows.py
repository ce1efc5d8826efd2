"""Rollouts as rows: the share, the next step, and the scores of both sides."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from frontend.evaluations.score_table import format_change
from registry.accounts.actor import Actor
from registry.changes.models import ChangeRequest
from registry.changes.rollout_plans import REPLIES, name_share
from registry.freezes.queries import find_standing_freezes
from registry.freezes.windows import StandingFreeze
from registry.namespaces import permissions
from registry.namespaces.permissions import MemberRoles
from registry.namespaces.verbs import TABLE, Verb
from registry.rollouts import queries as rollout_queries
from registry.rollouts import stop_rules
from registry.rollouts.models import Rollout
from registry.rollouts.stop_rules import SideScore

__all__ = ["MetricRow", "RolloutRow", "build_rollout_rows", "read_rollout_row"]


@dataclass(frozen=True)
class MetricRow:
    """One metric of both sides. collecting: how many of the needed replies are scored; empty once the metric can be
    read, or if the rollout has ended.

    change: the candidate's mean relative to the stable version's, such as `+0.08`; empty if either is missing.
    """

    score: SideScore
    collecting: str
    change: str


@dataclass(frozen=True)
class RolloutRow:
    """A rollout in words. fill and tick: the share and that of the next step, in percent, for the progress bar.

    tick is empty if the next step is all callers. may_go_on, may_stop: which buttons the user has. For an active
    rollout: freeze is the one in force that its next step waits for; is_unapproved, whether an approval of the version
    it serves was taken back or no longer counts.
    """

    rollout: Rollout
    share: str
    following: str
    fill: str
    tick: str
    metrics: list[MetricRow]
    needed_replies: int
    may_go_on: bool = False
    may_stop: bool = False
    freeze: StandingFreeze | None = None
    is_unapproved: bool = False


def read_rollout_row(change: ChangeRequest, actor: Actor) -> RolloutRow | None:
    """The newest rollout of the change, None if there isn't one."""
    rollout = rollout_queries.find_rollout_of_change(change.number)
    if rollout is None:
        return None
    space = change.template.namespace
    roles = permissions.find_roles(actor.person, space)
    return build_rollout_rows([rollout], {space.pk: roles} if roles else {})[0]


def build_rollout_rows(
    rollouts: Collection[Rollout], roles: Mapping[int, MemberRoles] | None = None
) -> list[RolloutRow]:
    """The rows in the order given; one query for the scores of all, and one for freezes if any is active.

    roles: the user's, by namespace id; without them the rows have no buttons.
    """
    scores = stop_rules.read_side_scores(rollouts)
    spaces = {rollout.template.namespace_id for rollout in rollouts if rollout.is_active}
    freezes = find_standing_freezes(spaces) if spaces else {}
    rows = [_build_row(rollout, scores[rollout.number], freezes) for rollout in rollouts]
    return [_add_permissions(row, roles or {}) for row in rows]


def _add_permissions(row: RolloutRow, roles: Mapping[int, MemberRoles]) -> RolloutRow:
    """The row with the buttons that these roles allow."""
    template = row.rollout.template
    role = roles.get(template.namespace_id)
    if role is None or not row.rollout.is_active:
        return row
    rank = role.at(template.path).rank
    return replace(row, may_go_on=rank >= TABLE[Verb.PUBLISH].rank, may_stop=rank >= TABLE[Verb.ROLL_BACK].rank)


def _build_row(rollout: Rollout, scores: Collection[SideScore], freezes: Mapping[int, StandingFreeze]) -> RolloutRow:
    following = rollout.next_step
    needed = (rollout.stop_rule or {}).get("replies", REPLIES)
    return RolloutRow(
        rollout=rollout,
        share=name_share(rollout.share),
        following=name_share(following["share"]) if following else gettext("everybody"),
        fill=f"{rollout.share / 100:g}",
        tick=f"{following['share'] / 100:g}" if following else "",
        metrics=[_build_metric(score, needed if rollout.is_active else 0) for score in scores],
        needed_replies=needed,
        freeze=freezes.get(rollout.template.namespace_id) if rollout.is_active else None,
        is_unapproved=rollout.is_active and rollout.change.state != ChangeRequest.APPROVED,
    )


def _build_metric(score: SideScore, needed: int) -> MetricRow:
    count = score.candidate.count if score.candidate else 0
    collecting = gettext("collecting, {count} of {needed}").format(count=count, needed=needed) if count < needed else ""
    change = format_change(score.candidate.mean - score.stable.mean) if score.candidate and score.stable else ""
    return MetricRow(score, collecting, change)
