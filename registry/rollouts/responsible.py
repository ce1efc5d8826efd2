"""The person responsible for the planned steps of each rollout: who started it or last resumed it, by the journal."""

import json
from collections.abc import Collection

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.journal.models import Event
from registry.rollouts.events import RolloutResumed
from registry.rollouts.models import Rollout

__all__ = ["find_responsible"]


def find_responsible(rollouts: Collection[Rollout]) -> dict[int, Actor]:
    """Map the number of each rollout to the person who started or last resumed it, with the key that did it if any.

    Three queries at most.
    """
    starters = {rollout.number: Actor(rollout.started_by, rollout.key) for rollout in rollouts}
    rows = Event.objects.filter(kind=RolloutResumed.kind, change__in={rollout.change_id for rollout in rollouts})
    resumed = {
        json.loads(text)["body"]["rollout"]: (person, key)
        for person, key, text in rows.order_by("number").values_list("person", "key", "text")
    }
    resumers = {number: names for number, names in resumed.items() if number in starters}
    people = User.objects.in_bulk({person for person, _ in resumers.values()}, field_name="username")
    keys = Key.objects.in_bulk({key for _, key in resumers.values() if key})
    return starters | {number: Actor(people[person], keys.get(key)) for number, (person, key) in resumers.items()}
