"""The program that the test of a failing broker runs: `python -m tests.support.broker_fault_driver`.

Saves and proposes repeatedly. In each round, the next message to the broker fails, until no message with that number is
sent. Each round ends with a line of JSON with its results.
"""

import itertools
import json
import os
import sys
import tempfile
from pathlib import Path

from tests.support.breaking_relay import BreakingRelay
from tests.support.broker import Broker

MAX_ROUNDS = 60


def main() -> None:
    """Play all rounds against this process's own broker."""
    with tempfile.TemporaryDirectory() as folder, Broker(Path(folder)) as broker, BreakingRelay(broker.port) as relay:
        os.environ["PROMPTUARY_BROKER_URL"] = f"redis://127.0.0.1:{relay.port}/0"
        play_rounds(relay)


def play_rounds(relay: BreakingRelay) -> None:
    import django  # noqa: PLC0415  # the settings read where the broker is

    django.setup()
    from registry import mirror  # noqa: PLC0415  # after Django's setup
    from registry.jobs.models import Job  # noqa: PLC0415  # as above
    from registry.journal.models import Event  # noqa: PLC0415  # as above
    from registry.tasks import doorbell, tasks  # noqa: PLC0415  # as above
    from tests.support import act_story  # noqa: PLC0415  # as above

    story = act_story.Story(act_story.load_actors())
    for number in itertools.count(1):
        events = Event.objects.count()
        relay.break_at(number)
        story.save()
        story.propose()
        sent = doorbell.flush_wake_ups(30)
        is_broken = relay.count >= number
        relay.break_at(0)
        kinds = list(Event.objects.filter(number__gt=events).order_by("number").values_list("kind", flat=True))
        tasks.recover_lost_work()
        tasks.recover_lost_work()  # the second run mirrors what the jobs of the first decided
        found = {
            "is_broken": is_broken,
            "sent": sent,
            "kinds": kinds,
            "undone": Job.objects.exclude(state=Job.DONE).count(),
            "findings": mirror.verify(),
        }
        sys.stdout.write(json.dumps(found) + "\n")
        if not is_broken or number == MAX_ROUNDS:
            return


if __name__ == "__main__":
    main()
