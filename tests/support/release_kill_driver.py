"""What the kill test of releases runs: `python -m tests.support.release_kill_driver prepare`, or `kill`.

`kill` publishes a release in one child after the other, each killed at another passing of a failpoint of the journal,
the last of them when it has committed. After each it writes a line with what the labels serve and the state of the
release.
"""

import json
import os
import signal
import sys

import django

django.setup()

from django.db import connection  # after Django's setup

from registry.accounts import actor
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.audit.verification import faults_of_chain
from registry.core import failpoints
from registry.namespaces import services as namespace_services
from registry.releases import proposals
from registry.releases import services as release_services
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection
from registry.templates import save as template_save
from registry.templates.label_models import Label

NAMES = ("support/a", "support/b", "support/c", "support/d")
POINTS = ("journal.appending", "journal.appended")  # those before the commit


def prepare() -> None:
    """A release of four templates that needs no approval."""
    operator = actor.operator_actor()
    namespace_services.create_namespace(
        actor=operator, name="support", protected_labels=["production"], approvals=0, required_checks=[]
    )
    author = Actor(User.objects.create(username="author"))
    namespace_services.set_role(actor=operator, namespace="support", username="author", role="author")
    for name in NAMES:
        template_save.save_version(actor=author, name=name, document="- name: a\n  content: Hello\n", message="")
    selection = ReleaseSelection(versions=dict.fromkeys(NAMES, 1))
    proposals.propose_release(actor=author, namespace="support", label="production", title="All", selection=selection)


def kill() -> None:
    """Kill at each passing of each point before the commit, then right after it."""
    for point in POINTS:
        for passing in range(1, len(NAMES) + 2):  # a move of each label, then the event of the release
            require_killed(run_child(f"{point}:{passing}"))
            say_state()
    require_killed(run_child("journal.committed:1"))
    say_state()


def run_child(setting: str) -> int:
    """Publish in a child with this failpoint armed; its wait status."""
    connection.close()
    child = os.fork()
    if child == 0:
        failpoints.arm(setting)
        release_services.publish_release(actor=Actor(User.objects.get(username="author")), number=1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def require_killed(status: int) -> None:
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
        sys.exit("the failpoint was never passed")


def say_state() -> None:
    """One line of JSON: how many labels are set, the states, and whether the journal is whole."""
    release = Release.objects.get()
    states = sorted(set(release.members.values_list("state", flat=True)))
    faults = list(faults_of_chain())
    found = {"labels": Label.objects.count(), "release": release.state, "members": states, "faults": len(faults)}
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    kill() if sys.argv[1] == "kill" else prepare()
