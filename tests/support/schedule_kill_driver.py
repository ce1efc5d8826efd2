"""What the kill test of scheduled publishing runs: `python -m tests.support.schedule_kill_driver prepare`, or `state`.

`prepare` schedules a change request and a release; `state` writes a line with what became of both.
"""

import json
import sys
from datetime import timedelta

import django

django.setup()

from registry.accounts import actor  # after Django's setup
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.audit.verification import faults_of_chain
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

ALONE, TOGETHER = "support/alone", ("support/a", "support/b")


def prepare(what: str) -> None:
    """A change request, or a release of two templates, that needs no approval and is due in a second."""
    operator = actor.operator_actor()
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
        check_results.run_checks(number=number)  # so that the worker has nothing to append but what it publishes


def say_state() -> None:
    """One line of JSON: how many labels are set, how often one moved, the states, and whether the journal is whole."""
    jobs = Job.objects.filter(kind=SCHEDULE).order_by("pk")
    found = {
        "labels": Label.objects.count(),
        "moves": Event.objects.filter(kind="label.moved").count(),
        "published": Event.objects.filter(kind="release.published").count(),
        "changes": sorted(set(ChangeRequest.objects.values_list("state", flat=True))),
        "releases": sorted(set(Release.objects.values_list("state", flat=True))),
        "jobs": [[job.state, job.attempts] for job in jobs],
        "faults": len(list(faults_of_chain())),
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    say_state() if sys.argv[1] == "state" else prepare(sys.argv[2])
