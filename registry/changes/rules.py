"""Setting the rules of a namespace: the change requests that follow, and a preview of them."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Invalid
from registry.journal import log
from registry.namespaces import key_rights, permissions, rule_fields
from registry.namespaces.events import NamespaceRuled
from registry.namespaces.models import Namespace
from registry.namespaces.rules import Rules, read_rules
from registry.namespaces.verbs import Verb
from registry.templates.label_models import Label
from registry.templates.label_moves import by_approval, by_emergency, select_approved_moves
from registry.usage.models import Fetch
from registry.usage.queries import DAYS

__all__ = [
    "ConcernedKey",
    "ProtectionPlan",
    "RulesUpdate",
    "list_unapproved_labels",
    "plan_protection",
    "set_rules",
]


@dataclass(frozen=True)
class RulesUpdate:
    """A namespace with its new rules, and the change requests that were opened for newly protected labels."""

    namespace: Namespace
    opened: tuple[ChangeRequest, ...]


def set_rules(*, actor: Actor, namespace: str, **rules: Any) -> RulesUpdate:
    """Change rules; those that are omitted or None stay. Admins only.

    Protecting a label doesn't approve what it serves: for each template whose label serves something it never held by
    approval, the actor opens a change request that proposes exactly that.

    protected_labels: names. approvals: 0 to 20. self_approval, suggesters_may_approve, threads_resolved, break_glass,
    keys_approved_only, discard_playground_texts, two_step_required: bool. required_checks: from
    `registry.namespaces.rules.CHECKS`. compatibility: none or backward. approval_rules: [{"label", "folder",
    "approvals", "groups": [names]}], each field with a default; the strictest matching count applies. owners:
    [{"pattern", "people": [usernames], "groups": [names]}], the last optional. standards: the complete set, as in
    `promptuary.renderer.validation.standards_reader.read_standards`; they apply to future saves, not to saved versions.
    Appends one event, then one per request, as in `services.propose_change`.
    """
    with transaction.atomic():
        log.lock()  # label moves take it too, so none of them sees old rules
        row = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        before = read_rules(row)
        after = rule_fields.read_rules(rules, before)
        _check_owners(row, after)
        _check_groups(row, after)
        if after == before:
            return RulesUpdate(row, ())
        rule_fields.check_two_step(actor, after)
        permissions.require_proof(actor)
        for field, value in after.to_columns().items():
            setattr(row, field, value)
        row.save()
        log.append(actor, NamespaceRuled(rules=after.to_dict()), namespace=row, at=log.now(), subject=row)
        opened = [_ask_approval(actor, row, label) for label in list_unapproved_labels(row, before, after)]
    return RulesUpdate(row, tuple(opened))


def _ask_approval(actor: Actor, namespace: Namespace, label: Label) -> ChangeRequest:
    template, head, name = label.template, label.version, label.name
    template.namespace = namespace
    message = (
        # no text: stored as the message
        f"Approve what {name} serves\n\n{name} of {template.name} served version {head.number} when it was protected, "
        "and never held it by approval. It goes on serving it. Publishing this request approves it."
    )
    return change_services.create_change(actor=actor, template=template, label=name, head=head, message=message)


def _check_owners(namespace: Namespace, rules: Rules) -> None:
    members = set(namespace.memberships.values_list("person__username", flat=True))
    strangers = sorted({person for owner in rules.owners for person in owner.people} - members)
    if strangers:
        raise Invalid(
            fields={
                "owners": gettext("{names}: not a member of {namespace}.").format(
                    names=", ".join(strangers), namespace=namespace.name
                )
            }
        )


def _check_groups(namespace: Namespace, rules: Rules) -> None:
    group_names = set(namespace.groups.values_list("name", flat=True)) if rules.group_names else set()
    faults = {}
    for field, rows in (("approval_rules", rules.approval_rules), ("owners", rules.owners)):
        if unknown := sorted({name for row in rows for name in row.groups} - group_names):
            sentence = gettext("{names}: not a group of {namespace}.")
            faults[field] = sentence.format(names=", ".join(unknown), namespace=namespace.name)
    if faults:
        raise Invalid(fields=faults)


_FETCHING = (Verb.READ, Verb.FETCH)


@dataclass(frozen=True)
class ConcernedKey:
    """A key that gets approved versions only. `newly`: it could get any version before.

    refused: `name@ref` of what it fetched in the last 30 days and can't fetch any more, by name.
    """

    key: Key
    newly: bool
    refused: tuple[str, ...]


@dataclass(frozen=True)
class ProtectionPlan:
    """The effects of rules that newly protect `labels` or limit keys."""

    labels: tuple[str, ...]
    serving: tuple[Label, ...]
    keys: tuple[ConcernedKey, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing for an admin to confirm."""
        return not self.serving and not self.keys

    @property
    def seal(self) -> str:
        """A digest over all of it, which changes if anything changed since it was read."""
        facts = {
            "labels": self.labels,
            "serving": [(row.template_id, row.name, row.version_id) for row in self.serving],
            "keys": [(key.key.pk, key.newly, key.refused) for key in self.keys],
        }
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def list_unapproved_labels(namespace: Namespace, before: Rules, after: Rules) -> list[Label]:
    """The newly protected labels that serve what they never held by approval; each needs a change request."""
    return _list_unapproved(namespace, _list_added(before, after))


def plan_protection(actor: Actor, name: str, rules: Mapping[str, Any]) -> ProtectionPlan:
    """Preview what `set_rules` does about newly protected labels and the keys that it limits; admins only.

    Raises Invalid if the rules are invalid.
    """
    namespace = permissions.find_namespace(actor, Verb.MANAGE, name)
    before = read_rules(namespace)
    after = rule_fields.read_rules(rules, before)
    _check_owners(namespace, after)
    _check_groups(namespace, after)
    labels = _list_added(before, after)
    if labels:
        return ProtectionPlan(
            labels, tuple(_list_unapproved(namespace, labels)), tuple(_list_concerned_keys(namespace, after))
        )
    limits_keys = after.keys_approved_only and not before.keys_approved_only
    return ProtectionPlan(
        (), (), tuple(key for key in _list_concerned_keys(namespace, after) if key.newly) if limits_keys else ()
    )


def _list_added(before: Rules, after: Rules) -> tuple[str, ...]:
    return tuple(label for label in after.protected_labels if label not in before.protected_labels)


def _list_unapproved(namespace: Namespace, labels: Collection[str]) -> list[Label]:
    """Find the labels of the namespace that serve what they never held by approval, without a pending change for it.

    Ordered by template and label, with template and version. Archived templates and redacted versions are left out: no
    change could be published for them.
    """
    pending = ChangeRequest.objects.pending().filter(
        template=OuterRef("template"), label=OuterRef("name"), version=OuterRef("version")
    )
    rows = Label.objects.filter(template__namespace=namespace, template__archived_at=None, name__in=labels)
    rows = rows.filter(~Exists(pending), ~by_approval(), ~by_emergency(), version__redaction=None)
    rows = rows.select_related("template", "version", "version__author")
    return list(rows.order_by("template__name", "name"))


def _list_concerned_keys(namespace: Namespace, after: Rules) -> list[ConcernedKey]:
    """Keys that are limited to approved versions under the rules `after`, newly limited ones first."""
    ruled = copy(namespace)
    ruled.protected_labels = list(after.protected_labels)
    ruled.keys_approved_only = after.keys_approved_only
    alive = Q(expires_at=None) | Q(expires_at__gt=log.now())
    limited = []
    rows = namespace.keys.filter(alive, revoked_at=None).select_related("person").order_by("name", "id")
    for key in rows:
        key.namespace = namespace
        was_limited = key_rights.is_limited(key)
        key.namespace = ruled
        if key_rights.is_limited(key) and key_rights.list_key_verbs(key) & set(_FETCHING):
            limited.append((key, not was_limited))
    refused = _map_refused(ruled, [key.pk for key, _ in limited])
    concerned = [ConcernedKey(key, newly, refused.get(key.pk, ())) for key, newly in limited]
    return sorted(concerned, key=lambda key: (not key.refused, not key.newly))


def _map_refused(ruled: Namespace, keys: list[str]) -> Mapping[str, tuple[str, ...]]:
    """Map each key to what it fetched lately and can't fetch any more under the rules of `ruled`."""
    labels = ruled.protected_labels
    since = datetime.now(UTC).date() - timedelta(days=DAYS)
    moved = select_approved_moves().filter(template__namespace=ruled, label__in=labels)
    agreed = ChangeRequest.objects.filter(
        template__namespace=ruled, label__in=labels, state=ChangeRequest.APPROVED
    ).values_list("template", "version__digest")
    accepted = {*moved.values_list("template", "after__digest"), *agreed}
    rows = Fetch.objects.filter(key__in=keys, day__gt=since).exclude(ref__in=labels)
    columns = ("key", "ref", "version__template", "version__template__name", "version__digest")
    targets: defaultdict[str, set[str]] = defaultdict(set)
    for key, ref, template, name, digest in rows.values_list(*columns).distinct():
        if (template, digest) not in accepted:
            targets[key].add(f"{name}@{ref}")
    return {key: tuple(sorted(refs)) for key, refs in targets.items()}
