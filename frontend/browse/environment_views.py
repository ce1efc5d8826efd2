"""The environments page: what each label of each template serves, and promotion from one label to another."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from frontend.browse.environment_rows import Group, group_rows
from frontend.browse.promotion_facts import PromotionFacts, read_facts
from frontend.changes.failure_rows import build_failure_rows
from frontend.changes.rollout_rows import RolloutRow, build_rollout_rows
from frontend.web.decorators import signed_in
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.changes import promotion_state
from registry.changes.promotion_state import PromotionCounts
from registry.core.names import LABEL, LATEST
from registry.core.pagination import Page
from registry.evaluations import live_failures
from registry.freezes.queries import find_freezes_ahead
from registry.namespaces import queries as namespace_queries
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import MemberRoles
from registry.namespaces.queries import choose_live_label
from registry.people import own_account
from registry.rollouts import queries as rollout_queries
from registry.rollouts.models import Rollout
from registry.templates import environments as environments_query
from registry.templates import label_queries, search_queries
from registry.templates import queries as template_queries
from registry.templates.models import Template
from registry.templates.search_queries import MatchCount, VisibleNamespaces

__all__ = ["show_environments"]

PAGE_SIZE = 25  # each row has several labels, and an open request adds its checks and approvals
FREEZES_AHEAD = timedelta(days=7)
MOVES = 8
VIEWS = ("all", "behind", "ready", "open", "rolling", "failing")


@dataclass(frozen=True)
class _Filter:
    """The templates to show: a view, or empty for the default, with all the words in their names, from a cursor."""

    view: str
    words: str
    cursor: str | None

    @property
    def is_set(self) -> bool:
        """Whether the user chose a view, searched or went to another page."""
        return bool(self.view or self.words or self.cursor)

    @property
    def query(self) -> dict[str, str]:
        """The filter as URL parameters, without the cursor."""
        return {name: value for name, value in (("q", self.words), ("show", self.view)) if value}


@dataclass(frozen=True)
class _Counts:
    """How many templates each tab has."""

    ready: MatchCount
    opened: int
    rolling: int
    failing: int
    behind: MatchCount


@dataclass(frozen=True)
class _Table:
    """The rows of the page. facts: of promoting each template, by its name. rollouts: those of the rows' labels. ready:
    how many of the rows are ready.
    """

    groups: Sequence[Group]
    facts: Mapping[str, PromotionFacts]
    rollouts: Sequence[RolloutRow]
    ready: int


@signed_in
def show_environments(request: HttpRequest, actor: Actor) -> HttpResponse:
    """All templates, or those behind, ready, with an open request, in a rollout, or failing; `q` filters by name.

    If there is more than a page of templates, only those that need action are shown, unless `show=all` is set.
    """
    chosen = _read_filter(request)
    spaces = namespace_queries.list_namespaces(actor)
    names = label_queries.list_label_names(actor)
    pair = _choose_pair(request, actor, [space for space, _ in spaces], names)
    visible = search_queries.find_visible_namespaces(actor)
    totals = environments_query.count_environments(actor, visible)
    rollouts = rollout_queries.list_active(actor)
    promotable = promotion_state.count_states(actor, *pair)
    by_view = _group_ids_by_view(actor, promotable, rollouts)
    busy = frozenset[int]().union(*by_view.values())
    is_busy = bool(busy) and not chosen.is_set and totals.total.number > PAGE_SIZE
    if is_busy:
        page = Page(template_queries.list_templates_by_name(busy, limit=PAGE_SIZE).items, None)
    else:
        page = _find_page(actor, chosen, visible, by_view)
    table = _read_table(actor, page.items, pair, spaces, promotable, rollouts)
    counts = _count_tabs(by_view, _count_at_least(promotable.ready, table.ready), totals.behind)
    context = {
        "section": "environments",
        "groups": table.groups,
        "facts": table.facts,
        **_list_choices(pair, names, [space for space, _ in spaces]),
        "total": totals.total,
        "ready": counts.ready,
        "opened": counts.opened,
        "settled": 0 if is_busy or chosen.words or chosen.view not in ("", "all") else _count_settled(table.groups),
        "emergencies": promotable.emergencies,
        "failing": counts.failing,
        "rollouts": table.rollouts,
        "selectable": sum(group.selectable for group in table.groups),
        "view": chosen.view,
        "words": chosen.words,
        "tabs": _list_tabs(chosen, counts),
        "next_url": f"?{urlencode({**chosen.query, 'cursor': page.next})}" if page.next else "",
        "page_size": PAGE_SIZE,
        "is_busy": is_busy,
        "has_access": bool(spaces),
        "may_create": not table.groups and bool(namespace_queries.list_writable_namespaces(actor)),
        "moves": [] if chosen.words or chosen.view else label_queries.list_published_moves(actor, MOVES),
    }
    return render_page(
        request, "browse/environments.html", context, regions={"environments": "browse/_environments.html"}
    )


def _read_table(
    actor: Actor,
    templates: list[Template],
    pair: tuple[str, str],
    spaces: Sequence[tuple[Namespace, MemberRoles]],
    promotable: PromotionCounts,
    rollouts: Iterable[Rollout],
) -> _Table:
    """The rows of these templates. spaces: the actor's namespaces, each with the actor's roles in it."""
    rows = environments_query.list_environment_rows(templates)
    listed = {row.template.pk: row.template for row in rows}
    states = promotion_state.read_states(actor, list(listed.values()), *pair, promotable.served)
    roles = {space.pk: member_roles for space, member_roles in spaces}
    rollout_rows = build_rollout_rows([rollout for rollout in rollouts if rollout.template_id in listed], roles)
    failures = build_failure_rows(live_failures.list_live_failures(actor, set(listed)), roles)
    freezes = find_freezes_ahead([space.pk for space, _ in spaces], FREEZES_AHEAD)
    return _Table(
        groups=group_rows(rows, states, roles, pair, freezes, rollout_rows, failures),
        facts=read_facts(list(listed.values()), states, pair[1]),
        rollouts=rollout_rows,
        ready=sum(state.state == "ready" for state in states.values()),
    )


def _read_filter(request: HttpRequest) -> _Filter:
    view = request.GET.get("show", "")
    return _Filter(view if view in VIEWS else "", request.GET.get("q", "").strip(), request.GET.get("cursor"))


def _group_ids_by_view(
    actor: Actor, promotable: PromotionCounts, rollouts: Iterable[Rollout]
) -> Mapping[str, Collection[int]]:
    """The ids of the templates of each view that has few."""
    return {
        "ready": set(promotable.ready_templates),
        "open": promotable.opened_templates,
        "rolling": {rollout.template_id for rollout in rollouts},
        "failing": live_failures.list_failing_template_ids(actor),
    }


def _count_tabs(by_view: Mapping[str, Collection[int]], ready: MatchCount, behind: MatchCount) -> _Counts:
    rolling, failing = len(by_view["rolling"]), len(by_view["failing"])
    return _Counts(ready=ready, opened=len(by_view["open"]), rolling=rolling, failing=failing, behind=behind)


def _find_page(
    actor: Actor, chosen: _Filter, visible: VisibleNamespaces, by_view: Mapping[str, Collection[int]]
) -> Page[Template]:
    """The page of templates that meet the filter. by_view: the ids of the templates of each view that has few."""
    words, cursor = chosen.words, chosen.cursor
    if chosen.view in by_view:
        return template_queries.list_templates_by_name(by_view[chosen.view], words, cursor=cursor, limit=PAGE_SIZE)
    return environments_query.list_environment_templates(
        actor, visible, words, behind=chosen.view == "behind", cursor=cursor, limit=PAGE_SIZE
    )


def _list_choices(pair: tuple[str, str], names: Collection[str], spaces: Collection[Namespace]) -> dict[str, Any]:
    """The labels chosen to promote from and to, and those to choose from."""
    protected = {label for space in spaces for label in space.protected_labels}
    return {
        "source": pair[0],
        "target": pair[1],
        "sources": [LATEST, *names],
        "targets": sorted({*names, *protected}),
        "protected": protected,
    }


def _count_settled(groups: Iterable[Group]) -> int:
    """The rows without an action, which are folded on a phone: each takes as much space there as one with an action."""
    return sum(line.action is None for group in groups for line in group.lines)


def _list_tabs(chosen: _Filter, counts: _Counts) -> list[dict[str, Any]]:
    """The tabs above the rows, each with its count and its URL."""
    tabs = (
        ("", gettext("All"), None),
        ("ready", gettext("Ready"), counts.ready),
        ("open", gettext("Open changes"), MatchCount(counts.opened)),
        ("rolling", gettext("Rolling out"), MatchCount(counts.rolling)),
        ("failing", gettext("Failing"), MatchCount(counts.failing)),
        ("behind", gettext("Behind"), counts.behind),
    )
    current_view = "" if chosen.view == "all" else chosen.view
    return [
        _build_tab(word, count, view == current_view, {"q": chosen.words, "show": view}) for view, word, count in tabs
    ]


def _count_at_least(count: MatchCount, shown: int) -> MatchCount:
    """The count, raised to the number of rows on the page if it isn't exact."""
    return count if count.is_exact else MatchCount(max(count.number, shown), is_exact=False)


def _choose_pair(
    request: HttpRequest, actor: Actor, spaces: Collection[Namespace], names: Collection[str]
) -> tuple[str, str]:
    """The labels to promote from and to: those in the URL, the user's last choice, or else staging and live."""
    person = actor.person
    protected = [label for space in spaces for label in space.protected_labels]
    target = request.GET.get("to") or person.promotion_target
    if not LABEL.fullmatch(target) or target not in {*names, *protected}:
        live = [choose_live_label(space) for space in spaces if space.protected_labels]
        target = next(iter([*live, *sorted(names)]), "production")
    source = request.GET.get("from") or person.promotion_source
    if source not in {LATEST, *names} or source == target:
        source = "staging" if "staging" in names and target != "staging" else LATEST
    if "from" in request.GET or "to" in request.GET:
        own_account.store_promotion_pair(actor=actor, source=source, target=target)
    return source, target


def _build_tab(word: str, count: MatchCount | None, on: bool, query: Mapping[str, str]) -> dict[str, Any]:
    parameters = {name: value for name, value in query.items() if value}
    return {"word": word, "count": count, "on": on, "url": f"?{urlencode(parameters)}"}
