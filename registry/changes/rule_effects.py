"""The effects of new namespace rules on labels, open requests, keys and people, as a preview."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, Q, Sum

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.changes import gate as change_gate
from registry.changes import rules as rule_services
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest
from registry.changes.rules import ProtectionPlan
from registry.journal import log
from registry.namespaces import key_rights, permissions, queries, rule_fields
from registry.namespaces.models import Namespace, Role
from registry.namespaces.rules import Rules, read_rules
from registry.namespaces.verbs import TABLE, Verb
from registry.templates.label_models import Label
from registry.usage.models import Fetch
from registry.usage.queries import DAYS, WEEK

__all__ = ["ChangeEffect", "FollowingService", "LabelEffect", "RuleEffects", "find_rule_effects"]

_MAX_CHANGES = 500  # compared at most; the newest first


@dataclass(frozen=True)
class FollowingService:
    """A service (the name of a key) that fetched a label in the last 30 days. per_day: the average over the last seven
    days, rounded up.
    """

    name: str
    per_day: int


@dataclass(frozen=True)
class LabelEffect:
    """A label that becomes protected or unprotected. templates: how many have it, without archived ones."""

    label: str
    is_protected: bool
    templates: int
    services: tuple[FollowingService, ...]

    @property
    def per_day(self) -> int:
        """Fetches by that label per day."""
        return sum(service.per_day for service in self.services)


@dataclass(frozen=True)
class ChangeEffect:
    """An open request whose blockers change: the causes of added and of removed blockers."""

    change: ChangeRequest
    added_causes: tuple[str, ...]
    removed_causes: tuple[str, ...]
    was_ready: bool
    is_ready: bool


@dataclass(frozen=True)
class RuleEffects:
    """All immediate effects of new rules.

    protection: of labels that become protected. freed_keys: keys that can then fetch any version. without_two_step:
    usernames that can then only read. narrowed_keys: the keys that act for them and could do more.
    """

    protection: ProtectionPlan
    labels: tuple[LabelEffect, ...] = ()
    changes: tuple[ChangeEffect, ...] = ()
    freed_keys: tuple[Key, ...] = ()
    without_two_step: tuple[str, ...] = ()
    narrowed_keys: tuple[Key, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing for an admin to confirm."""
        effects = (self.labels, self.changes, self.freed_keys, self.without_two_step, self.narrowed_keys)
        return self.protection.is_empty and not any(effects)

    @property
    def blocked(self) -> int:
        """How many open requests could be published before and can't be afterwards."""
        return sum(effect.was_ready and not effect.is_ready for effect in self.changes)

    @property
    def unblocked(self) -> int:
        """How many open requests could not be published before and can be afterwards."""
        return sum(effect.is_ready and not effect.was_ready for effect in self.changes)

    @property
    def seal(self) -> str:
        """A digest over all of it, which changes if anything changed since it was read."""
        facts = {
            "protection": self.protection.seal,
            "labels": [(effect.label, effect.is_protected, effect.templates) for effect in self.labels],
            "changes": [(effect.change.number, effect.added_causes, effect.removed_causes) for effect in self.changes],
            "keys": [key.pk for key in (*self.freed_keys, *self.narrowed_keys)],
            "people": self.without_two_step,
        }
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def find_rule_effects(actor: Actor, name: str, rules: Mapping[str, Any]) -> RuleEffects:
    """Preview what `rules.set_rules` would change with these rules; admins only, nothing is stored.

    Raises Invalid if the rules are invalid.
    """
    protection = rule_services.plan_protection(actor, name, rules)
    namespace = permissions.find_namespace(actor, Verb.MANAGE, name)
    before = read_rules(namespace)
    after = rule_fields.read_rules(rules, before)
    if after == before:
        return RuleEffects(protection)
    ruled = _copy_with_rules(namespace, after)
    people = queries.list_members_without_two_step(namespace) if _becomes_strict(before, after) else []
    return RuleEffects(
        protection,
        _list_label_effects(namespace, before, after),
        _list_change_effects(actor, namespace, ruled),
        _list_freed_keys(namespace, ruled),
        tuple(people),
        _list_narrowed_keys(namespace, people),
    )


def _copy_with_rules(namespace: Namespace, rules: Rules) -> Namespace:
    """An unsaved copy of the row with these rules."""
    ruled = copy(namespace)
    for field, value in rules.to_columns().items():
        setattr(ruled, field, value)
    return ruled


def _becomes_strict(before: Rules, after: Rules) -> bool:
    return after.two_step_required and not before.two_step_required


def _list_label_effects(namespace: Namespace, before: Rules, after: Rules) -> tuple[LabelEffect, ...]:
    """The effects on labels whose protection changes and that some template has."""
    labels = sorted(set(before.protected_labels) ^ set(after.protected_labels))
    if not labels:
        return ()
    rows = Label.objects.filter(template__namespace=namespace, template__archived_at=None, name__in=labels)
    counts = dict(rows.order_by().values_list("name").annotate(Count("pk")))
    services = _list_services(namespace, labels)
    return tuple(
        LabelEffect(label, label in after.protected_labels, counts[label], services.get(label, ()))
        for label in labels
        if label in counts
    )


def _list_services(namespace: Namespace, labels: list[str]) -> dict[str, tuple[FollowingService, ...]]:
    """The services that fetched each label in the namespace, the busiest first."""
    today = datetime.now(UTC).date()
    rows = Fetch.objects.filter(
        version__template__namespace=namespace, ref__in=labels, day__gt=today - timedelta(days=DAYS)
    )
    in_week = Sum("count", filter=Q(day__gt=today - timedelta(days=WEEK)), default=0)
    services_by_label: defaultdict[str, list[FollowingService]] = defaultdict(list)
    for label, service, count in rows.order_by().values_list("ref", "key__name").annotate(week=in_week):
        services_by_label[label].append(FollowingService(service, -(-count // WEEK)))
    return {
        label: tuple(sorted(services, key=lambda service: (-service.per_day, service.name)))
        for label, services in services_by_label.items()
    }


def _list_change_effects(actor: Actor, namespace: Namespace, ruled: Namespace) -> tuple[ChangeEffect, ...]:
    now, then = _read_gates(actor, namespace), _read_gates(actor, ruled)
    return tuple(effect for gates in zip(now, then, strict=True) if (effect := _compare_gates(*gates)) is not None)


def _read_gates(actor: Actor, namespace: Namespace) -> list[Gate]:
    """The gates of the namespace's open requests, oldest first, under the row's rules."""
    rows = ChangeRequest.objects.pending().filter(template__namespace=namespace, template__archived_at=None)
    related = ("template__latest", "version__author", "opened_by", "release__namespace", "release__opened_by")
    listed = list(
        rows.select_related(*related).defer("version__bundle", "template__latest__bundle").order_by("-number")
    )
    listed = listed[:_MAX_CHANGES][::-1]
    for change in listed:
        change.template.namespace = namespace
    return change_gate.evaluate_many(listed, actor)


def _compare_gates(now: Gate, then: Gate) -> ChangeEffect | None:
    """The difference between two gates, or None. Compares causes, since the number in one blocker may change."""
    before = [blocker.cause for blocker in now.blockers]
    after = [blocker.cause for blocker in then.blockers]
    added_causes = tuple(cause for cause in after if cause not in before)
    removed_causes = tuple(cause for cause in before if cause not in after)
    if not added_causes and not removed_causes:
        return None
    return ChangeEffect(then.change, added_causes, removed_causes, was_ready=not before, is_ready=not after)


def _list_valid_keys(namespace: Namespace) -> list[Key]:
    rows = namespace.keys.filter(Q(expires_at=None) | Q(expires_at__gt=log.now()), revoked_at=None)
    return list(rows.select_related("person").order_by("name", "id"))


def _list_freed_keys(namespace: Namespace, ruled: Namespace) -> tuple[Key, ...]:
    """Keys that are limited to approved versions now, but not under the new rules."""
    return tuple(
        key for key in _list_valid_keys(namespace) if _is_limited(key, namespace) and not _is_limited(key, ruled)
    )


def _is_limited(key: Key, namespace: Namespace) -> bool:
    key.namespace = namespace
    return key_rights.is_limited(key)


def _list_narrowed_keys(namespace: Namespace, people: list[str]) -> tuple[Key, ...]:
    """Keys that act for these people and may do more than a reader."""
    keys = [key for key in _list_valid_keys(namespace) if key.person.username in people] if people else []
    return tuple(
        key for key in keys if any(TABLE[verb].rank > Role.READER.rank for verb in key_rights.list_key_verbs(key))
    )
