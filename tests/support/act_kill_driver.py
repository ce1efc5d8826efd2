"""The program that the kill test of releases and rollouts runs: `python -m tests.support.act_kill_driver`.

Plays one story. Each action runs in a series of children, killed at each pass of each journal failpoint before the
commit, and then right after the commit. The mirror's writer is killed at its failpoints while it writes the events of
that action. Each action ends with a line of JSON with its results. The last line says whether the mirror has the same
commits after it is rebuilt from the journal.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import django

django.setup()

from django.conf import settings  # after Django's setup
from django.db import connection, transaction

from registry import mirror
from registry.accounts import actor
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.audit.verification import find_chain_faults
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core import failpoints
from registry.journal.models import Event
from registry.mirror.repository import Repository
from registry.namespaces import services as namespace_services
from registry.releases import proposals, roll_backs
from registry.releases import services as release_services
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection
from registry.rollouts import clock
from registry.rollouts import services as rollout_services
from registry.rollouts.models import Rollout
from registry.templates import save as template_save
from registry.templates.label_models import Label
from registry.usage.models import OutcomeTotal
from tests.support.row_snapshot import snapshot_rows

NAMES = ("support/a", "support/b", "support/c", "support/d")
ALONE = NAMES[0]  # template that is rolled out
VERSIONS = 3
STEPS = [{"share": 1000, "hours": None}, {"share": 3000, "hours": 1}, {"share": 6000, "hours": 1}]
METRIC = "helpful"
RULE = {"metric": METRIC, "below": 0.85, "replies": 100}
BEFORE_COMMIT = ("journal.appending", "journal.appended")
# `imported` and `recorded` follow once Git has the events: after a kill at one, nothing is left that passes the other.
WHILE_WRITING = ("mirror.locked", "mirror.healed", "mirror.moving", "mirror.streaming", "mirror.streamed")
WHEN_WRITTEN = ("mirror.imported", "mirror.recorded")


def prepare() -> None:
    """Make a namespace without approvals and checks, an author, a reviewer, and four templates of three versions."""
    operator = actor.build_operator_actor()
    namespace_services.create_namespace(
        actor=operator, name="support", protected_labels=["production"], approvals=0, required_checks=[]
    )
    for role in ("author", "reviewer"):
        User.objects.create(username=role)
        namespace_services.set_role(actor=operator, namespace="support", username=role, role=role)
    for name in NAMES:
        base = None
        for number in range(1, VERSIONS + 1):
            document = f"- name: a\n  content: Hello {number}\n"
            saved = template_save.save_version(
                actor=act_as("author"), name=name, document=document, message="", base=base
            )
            base = saved.version.digest
    mirror.catch_up(wait=20)


def act_as(role: str) -> Actor:
    return Actor(User.objects.get(username=role))


def propose_release(version: int) -> Callable[[], object]:
    """The action that proposes this version of the four templates as one release."""
    selection = ReleaseSelection(versions=dict.fromkeys(NAMES, version))
    return lambda: proposals.propose_release(
        actor=act_as("author"), namespace="support", label="production", title="All", selection=selection
    )


def publish_release() -> object:
    return release_services.publish_release(actor=act_as("author"), number=find_latest_number(Release))


def roll_back_release() -> object:
    return roll_backs.roll_back_release(actor=act_as("reviewer"), number=find_latest_number(Release), reason="Wrong")


def withdraw_release() -> object:
    number = find_latest_number(Release)
    return release_services.withdraw_release(actor=act_as("author"), number=number, reason="Not now")


def propose_change() -> object:
    return change_services.propose_change(
        actor=act_as("author"), name=ALONE, label="production", version=VERSIONS, message="Gradually"
    )


def start_rollout() -> object:
    change = find_latest_number(ChangeRequest)
    return rollout_services.start_rollout(
        actor=act_as("author"), change=change, steps=STEPS, stop_rule=RULE, salt="5a17"
    )


def step_rollout() -> object:
    return rollout_services.step_rollout(actor=act_as("author"), number=find_latest_number(Rollout))


def advance_rollouts() -> object:
    """Advance rollouts as the scheduler does when a step is due."""
    return clock.advance_rollouts(Rollout.objects.latest("number").updated_at + timedelta(hours=2))


def pause_rollout() -> object:
    return rollout_services.pause_rollout(actor=act_as("author"), number=find_latest_number(Rollout))


def resume_rollout() -> object:
    return rollout_services.resume_rollout(actor=act_as("author"), number=find_latest_number(Rollout))


def stop_rollout() -> object:
    return rollout_services.stop_rollout(actor=act_as("reviewer"), number=find_latest_number(Rollout), reason="Wrong")


def finish_rollout() -> object:
    return rollout_services.finish_rollout(actor=act_as("author"), number=find_latest_number(Rollout))


def find_latest_number(model: Any) -> int:
    number: int = model.objects.latest("number").number
    return number


def score_badly() -> None:
    """Record outcomes of the rolled-out version that are below its rule's threshold."""
    rollout = Rollout.objects.latest("number")
    at = rollout.created_at
    OutcomeTotal.objects.create(
        version=rollout.candidate,
        name=METRIC,
        by_person=False,
        day=at.date(),
        count=200,
        total=100.0,
        squares=100.0,
        last_at=at,
    )


def play() -> None:
    """Play the story: a release from proposal to rollback, then rollouts to each possible end."""
    prepare()
    kill("propose_release", propose_release(1))
    kill("publish_release", publish_release)
    propose_release(2)()
    publish_release()
    kill("roll_back_release", roll_back_release)
    propose_release(3)()
    kill("withdraw_release", withdraw_release)
    propose_change()
    kill("start_rollout", start_rollout)
    kill("step_rollout", step_rollout)
    kill("step_by_the_clock", advance_rollouts)
    kill("pause_rollout", pause_rollout)
    kill("resume_rollout", resume_rollout)
    kill("stop_rollout", stop_rollout)
    start_rollout()
    score_badly()
    kill("stop_by_the_rule", advance_rollouts)
    OutcomeTotal.objects.all().delete()
    start_rollout()
    kill("finish_rollout", finish_rollout)
    heads = read_heads()
    mirror.rebuild()
    say({"act": "rebuild", "same_heads": heads == read_heads()})


def kill(name: str, act: Callable[[], object]) -> None:
    """Run the action in children that are killed midway, then mirror it in such children; print the results."""
    mirror.catch_up(wait=20)
    events, before = count_events(act), snapshot_rows()
    changed = []
    for point in BEFORE_COMMIT:
        for passing in range(1, events + 1):
            require_killed(f"{point}:{passing}", act)
            if snapshot_rows() != before:
                changed.append(f"{point}:{passing}")
    require_killed("journal.committed:1", act)
    kill_writer(WHEN_WRITTEN[events % 2])
    mirror.catch_up(wait=20)
    findings = [*mirror.verify(), *find_chain_faults()]
    say({"act": name, "events": events, "changed": changed, "findings": findings, **read_state()})


def say(facts: dict[str, object]) -> None:
    """Print one line of JSON."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def count_events(act: Callable[[], object]) -> int:
    """Count the events that the action appends; its writes are rolled back."""
    before = Event.objects.count()
    with transaction.atomic():
        act()
        appended = Event.objects.count() - before
        transaction.set_rollback(True)
    return appended


def kill_writer(last: str) -> None:
    """Kill the mirror's writer at each of its failpoints while events wait, and at the last after they are written."""
    for point in (*WHILE_WRITING, last):
        if point != "mirror.moving" or has_moved_label():
            require_killed(f"{point}:1", lambda: mirror.catch_up(wait=20))


def has_moved_label() -> bool:
    """Whether the latest action moved a label; only then the writer passes the point between its kinds of branches."""
    mirrored = Repository(settings.MIRROR_PATH).list_heads()["refs/heads/main"].stamp
    return Event.objects.filter(number__gt=mirrored.number if mirrored else 0, kind="label.moved").exists()


def require_killed(setting: str, act: Callable[[], object]) -> None:
    """Run the action in a child that must be killed at this failpoint."""
    connection.close()
    child = os.fork()
    if child == 0:
        failpoints.arm(setting)
        act()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
        sys.exit(f"{setting} was never passed")


def read_heads() -> dict[str, str]:
    return {ref: head.commit for ref, head in Repository(settings.MIRROR_PATH).list_heads().items()}


def read_state() -> dict[str, object]:
    """The labels' versions with a rollout's share, and the states of the newest release, change and rollout."""
    labels = Label.objects.select_related("version", "rollout").order_by("template__name")
    return {
        "served": [label.version.number for label in labels],
        "shares": [label.rollout.share for label in labels if label.rollout],
        "release": read_newest_state(Release),
        "change": read_newest_state(ChangeRequest),
        "rollout": read_newest_state(Rollout),
    }


def read_newest_state(model: Any) -> str:
    row = model.objects.order_by("-number").first()
    return row.state if row else ""


if __name__ == "__main__":
    play()
