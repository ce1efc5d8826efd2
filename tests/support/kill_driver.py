"""The program of the kill tests: `python -m tests.support.kill_driver prepare`, or `kill <point> <passing> ...`.

Each killed child prints every acknowledged change on its own line as soon as it is committed, so the test knows which
changes must exist. The last line is the state found afterwards.
"""

import json
import os
import shutil
import signal
import sys

os.environ["PROMPTUARY_OUTBOUND_HOSTS"] = os.environ["PROMPTUARY_MIRROR_HOSTS"] = "127.0.0.1:9"

import django  # the hosts must be set before the settings are read
from django.conf import settings  # as above
from django.db import connection  # as above

django.setup()

from registry import mirror
from registry.accounts import actor
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core import failpoints
from registry.journal import log, mirror_paths
from registry.journal.models import Event
from registry.mirror import writer
from registry.mirror.models import Remote
from registry.mirror.repository import Repository
from registry.namespaces import services as namespace_services
from registry.templates import labels
from registry.templates import save as template_save
from registry.templates.label_models import Label

TEMPLATE = "support/reply"
LABELS = ("blue", "green")
WAITING = 48  # more than one batch of the mirror together with the other events
CHANGES = 8


def prepare() -> None:
    """Make a namespace, an author and two versions, and move labels between them: no event is in the mirror yet."""
    operator = actor.build_operator_actor()
    namespace_services.create_namespace(actor=operator, name="support")
    author = User.objects.create(username="author")
    namespace_services.set_role(actor=operator, namespace="support", username="author", role="author")
    # Nothing listens there: the push only has to reach its failpoint.
    Remote.objects.create(name="nowhere", url="http://127.0.0.1:9/x.git", added_at=log.now())
    base = None
    for text in ("Hello", "Good day"):
        document = f"- name: a\n  role: user\n  content: {text}\n"
        saved = template_save.save_version(
            actor=Actor(author), name=TEMPLATE, document=document, message=text, base=base
        )
        base = saved.version.digest
    for count in range(WAITING):
        move_label(Actor(author), LABELS[count % 2])


def move_label(author: Actor, name: str) -> None:
    """Move the label to the version that it isn't on."""
    label = Label.objects.select_related("version").filter(template__name=TEMPLATE, name=name).first()
    number = label.version.number if label else None
    labels.move_label(actor=author, name=TEMPLATE, label=name, version=2 if number == 1 else 1, expected=number)


def write() -> None:
    """Change, mirror, pack and rebuild, which passes every failpoint."""
    author = Actor(User.objects.get(username="author"))
    for count in range(CHANGES):
        move_label(author, LABELS[count % 2])
        _say(str(Event.objects.order_by("-number").values_list("hash", flat=True).first()))
    mirror.catch_up(wait=20)
    writer.repack_batches()
    mirror.rebuild()
    mirror.push_due()


def kill(point: str, *passings: str) -> None:
    """Run `write` in a series of children, each killed at its point; then check what is left."""
    for passing in passings:
        if point == "mirror.created":
            shutil.rmtree(settings.MIRROR_PATH, ignore_errors=True)
        Remote.objects.update(retry_at=None)  # a killed push is retried when its claim has expired
        connection.close()
        child = os.fork()
        if child == 0:
            failpoints.arm(f"{point}:{passing}")
            write()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
            sys.exit(f"{point}:{passing} was never passed")
    check()


def check() -> None:
    """Bring the mirror up to date, verify it and rebuild it; print the result and the journal's contents."""
    mirror.catch_up(wait=20)
    findings = mirror.verify()
    before = _list_heads()
    mirror.rebuild()
    commits = list(Repository(settings.MIRROR_PATH).list_commits(mirror_paths.MAIN))
    _say(
        json.dumps(
            {
                "findings": findings,
                "same_after_rebuild": before == _list_heads(),
                "commits": len(commits),
                "events": list(Event.objects.order_by("number").values_list("hash", flat=True)),
            }
        )
    )


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _list_heads() -> dict[str, str]:
    return {ref: head.commit for ref, head in Repository(settings.MIRROR_PATH).list_heads().items()}


if __name__ == "__main__":
    if sys.argv[1] == "kill":
        kill(*sys.argv[2:])
    else:
        prepare()
