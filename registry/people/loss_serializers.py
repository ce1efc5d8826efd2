"""Serializers of the losses of an action that removes rights."""

# no texts here: descriptions for the API's schema

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from registry.people.access_losses import AccessLosses, GroupLoss, Loss
from registry.rest.output_serializers import Output

__all__ = ["CONFIRMED", "LossesOutput", "shape_losses"]

CONFIRMED = "The `seal` of the losses that you read; only needed where something is lost."


def _make_numbers_field(help_text: str) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(), help_text=help_text)


class LossesOutput(Output):
    """What open requests, schedules and rollouts of a namespace lose."""

    approvals = _make_numbers_field("Open changes where an approval won't count any more.")
    objections = _make_numbers_field("Open changes that somebody asked for edits of; that won't block.")
    group_approvals = _make_numbers_field("Open changes where an approval won't count for its group any more.")
    without_approvers = _make_numbers_field("Open changes that too few people could approve.")
    schedules = _make_numbers_field("Scheduled changes that wouldn't go live.")
    releases = _make_numbers_field("Scheduled releases that wouldn't go live.")
    rollouts = _make_numbers_field("Rollouts whose next planned step would pause them.")
    losses = serializers.ListField(
        child=serializers.CharField(), help_text="The same as sentences; empty: nothing is lost."
    )
    seal = serializers.CharField(help_text="Sent back as `confirmed`. Another one where anything changed.")


def shape_losses(losses: AccessLosses, sentences: list[str], seal: str) -> dict[str, Any]:
    """The fields of `LossesOutput`."""
    lists: dict[str, Sequence[Loss | GroupLoss]] = {
        "approvals": losses.approvals,
        "objections": losses.objections,
        "group_approvals": losses.group_approvals,
        "schedules": losses.schedules,
        "releases": losses.releases,
        "rollouts": losses.rollouts,
    }
    numbers = {name: list(dict.fromkeys(loss.number for loss in entries)) for name, entries in lists.items()}
    return {**numbers, "without_approvers": list(losses.without_approvers), "losses": sentences, "seal": seal}
