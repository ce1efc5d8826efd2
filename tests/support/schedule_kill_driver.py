"""The program of the kill test of scheduled publishing: `python -m tests.support.schedule_kill_driver prepare change`.

`prepare` schedules a change request or a release; `state` prints a line with its state, and `wait` does so as soon as
no job is left.
"""

import json
import sys
from datetime import timedelta

import django

django.setup()

from registry.accounts import actor  # after Django's setup
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.audit.verification import find_chain_faults
from registry.changes import check_results, schedules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.jobs.models import Job
from registry.jobs.queue import SCHEDULE
from registry.journal import log
from registry.journal.models import Event
from registry.namespaces import services as namespace_services
from registry.releases import proposals
from registry.releases import schedules as release_schedules
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection
from registry.templates import save as template_save
from registry.templates.label_models import Label
from tests.support.server_process import wait_until

ALONE, TOGETHER = "support/alone", ("support/a", "support/b")


def prepare(what: str) -> None:
    """Schedule a change request, or a release of two templates, without approval, due in a second."""
    operator = actor.build_operator_actor()
    namespace_services.create_namespace(
        actor=operator, name="support", protected_labels=["production"], approvals=0, required_checks=[]
    )
    author = Actor(User.objects.create(username="author"))
    namespace_services.set_role(actor=operator, namespace="support", username="author", role="author")
    names = [ALONE] if what == "change" else list(TOGETHER)
    for name in names:
        template_save.save_version(actor=author, name=name, document="- name: a\n  content: Hello\n", message="")
    if what == "change":
        change = change_services.propose_change(
            actor=author, name=ALONE, label="production", version=1, message="At eight"
        )
        schedules.schedule_change(actor=author, number=change.number, at=log.now() + timedelta(seconds=1))
    else:
        selection = ReleaseSelection(versions=dict.fromkeys(names, 1))
        release = proposals.propose_release(
            actor=author, namespace="support", label="production", title="At eight", selection=selection
        ).release
        release_schedules.schedule_release(actor=author, number=release.number, at=log.now() + timedelta(seconds=1))
    for number in ChangeRequest.objects.values_list("number", flat=True):
        check_results.run_checks(number=number)  # so that the worker appends only the events of publishing


def say_state() -> None:
    """Print JSON: the number of set labels, the number of moves, the states, and whether the journal is intact."""
    jobs = Job.objects.filter(kind=SCHEDULE).order_by("pk")
    found = {
        "labels": Label.objects.count(),
        "moves": Event.objects.filter(kind="label.moved").count(),
        "published": Event.objects.filter(kind="release.published").count(),
        "changes": sorted(set(ChangeRequest.objects.values_list("state", flat=True))),
        "releases": sorted(set(Release.objects.values_list("state", flat=True))),
        "jobs": [[job.state, job.attempts] for job in jobs],
        "faults": len(list(find_chain_faults())),
    }
    sys.stdout.write(json.dumps(found) + "\n")


def wait_for_jobs(seconds: float) -> None:
    """Wait until no job is queued or running. Polling from outside would start a process each time."""
    wait_until(lambda: not Job.objects.filter(kind=SCHEDULE, state__in=(Job.QUEUED, Job.RUNNING)).exists(), seconds)


if __name__ == "__main__":
    if sys.argv[1] == "prepare":
        prepare(sys.argv[2])
    else:
        if sys.argv[1] == "wait":
            wait_for_jobs(float(sys.argv[2]))
        say_state()
