"""Validates the rules of a namespace from pages and the API: each field is parsed, or refused by name."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from promptuary.renderer.validation.standards_reader import StandardsError, read_standards
from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Invalid
from registry.namespaces.rules import CHECKS, ApprovalRule, Owner, Rules

__all__ = ["check_two_step", "read_rules"]

_MODES = ("none", "backward")
_MAX_APPROVALS = 20
_MAX_APPROVAL_RULES = 50


def read_rules(fields: Mapping[str, Any], before: Rules) -> Rules:
    """The rules after a change: given values replace the previous ones, None keeps them. Raises Invalid by field."""
    faults: dict[str, str] = {}
    values = {rule: value for rule, value in fields.items() if value is not None}
    for rule, value in values.items():
        reader = _READERS.get(rule)
        if reader is None:
            faults[rule] = gettext("there is no such rule.")
            continue
        try:
            values[rule] = reader(value)
        except StandardsError as error:
            faults |= {f"{rule}.{path}" if path else rule: sentence for path, sentence in error.faults.items()}
        except Invalid as error:
            faults[rule] = "; ".join(error.fields.values())
        except (TypeError, ValueError, KeyError):
            faults[rule] = gettext("this does not have the form that the rule needs.")
    if faults:
        raise Invalid(fields=faults)
    return Rules(**{**{rule: getattr(before, rule) for rule in _READERS}, **values})


def check_two_step(actor: Actor, after: Rules) -> None:
    """Raise Invalid if the rule two_step_required would lock out the person who sets it. Commands are exempt."""
    if after.two_step_required and not actor.is_operator and not actor.person.has_two_step:
        raise Invalid(
            fields={
                "two_step_required": gettext("turn on two-step sign-in for yourself first, at /account/second-step.")
            }
        )


def _read_labels(value: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names.check_label(str(label)) for label in _read_items(value)))


def _read_approvals(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_APPROVALS:
        raise Invalid(fields={"approvals": gettext("a whole number from 0 to {most}.").format(most=_MAX_APPROVALS)})
    return value


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _read_checks(value: Any) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(str(check) for check in _read_items(value)))
    if unknown := [check for check in names if check not in CHECKS]:
        raise Invalid(
            fields={
                "required_checks": gettext("there is no check {value!r}; there are {names}.").format(
                    value=unknown[0], names=", ".join(CHECKS)
                )
            }
        )
    return names


def _read_mode(value: Any) -> str:
    if value not in _MODES:
        raise Invalid(fields={"compatibility": gettext("one of {names}.").format(names=", ".join(_MODES))})
    return str(value)


def _read_approval_rules(value: Any) -> tuple[ApprovalRule, ...]:
    rules = _read_items(value)
    if len(rules) > _MAX_APPROVAL_RULES:
        raise Invalid(fields={"approval_rules": gettext("at most {most}.").format(most=_MAX_APPROVAL_RULES)})
    read = []
    for number, rule in enumerate(rules, 1):
        try:
            read.append(_read_approval_rule(rule))
        except Invalid as error:
            fault = "; ".join(error.fields.values())
            sentence = gettext("rule {number}: {fault}").format(number=number, fault=fault)
            raise Invalid(fields={"approval_rules": sentence}) from error
    return tuple(read)


def _read_approval_rule(value: Mapping[str, Any]) -> ApprovalRule:
    fields = {"label": "", "folder": "", "approvals": 0, "groups": (), **value}
    label, folder = str(fields.pop("label")), str(fields.pop("folder")).strip("/")
    rule = ApprovalRule(
        label and names.check_label(label),
        folder and names.check_folder(folder),
        _read_approvals(fields.pop("approvals")),
        tuple(dict.fromkeys(names.check_slug("groups", str(group)) for group in _read_items(fields.pop("groups")))),
    )
    if fields:
        raise ValueError  # no rule has this field
    if not rule.approvals and not rule.groups:
        raise Invalid(fields={"approvals": gettext("it asks for nothing: give a number of approvals or a group.")})
    return rule


def _read_owners(value: Any) -> tuple[Owner, ...]:
    return tuple(
        Owner(
            str(owner["pattern"])[:200],
            tuple(str(person) for person in _read_items(owner["people"])),
            tuple(
                dict.fromkeys(names.check_slug("groups", str(group)) for group in _read_items(owner.get("groups", ())))
            ),
        )
        for owner in _read_items(value)
    )


def _read_items(value: Any) -> list[Any] | tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise TypeError
    return value


_READERS = {
    "protected_labels": _read_labels,
    "approvals": _read_approvals,
    "self_approval": _switch,
    "suggesters_may_approve": _switch,
    "threads_resolved": _switch,
    "two_step_required": _switch,
    "required_checks": _read_checks,
    "compatibility": _read_mode,
    "approval_rules": _read_approval_rules,
    "owners": _read_owners,
    "break_glass": _switch,
    "keys_approved_only": _switch,
    "discard_playground_texts": _switch,
    "standards": read_standards,
}
