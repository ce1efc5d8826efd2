"""Fills a scratch registry: `python seeds.py [templates] [versions of each]`.

Prints three keys: a reading and a writing key for `bench`, and a reading key for `gradual`, where `gradual/reply` has a
rollout and `gradual/plain` doesn't.

One template is made through the services. The others are copies of its rows inserted by SQL, since a million saves
would take a day. They read the same but aren't in the journal.
"""

import sys

import django

django.setup()

from django.db import connection, transaction

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import services as change_services
from registry.namespaces import keys, services
from registry.rollouts import services as rollouts
from registry.templates import labels
from registry.templates import save as template_save
from registry.templates.models import Template, Version

NAME = "bench/reply"
GRADUAL = "gradual"
DOCUMENT = (
    "- name: question\n  content: |\n" + "    Answer the question from the excerpts, and say where it stands.\n" * 25
)
SHORT = "- name: question\n  content: Answer the question from the excerpts, and say where it stands.\n"


def main(count: int, each: int) -> None:
    """The namespace `bench` with `bench/reply` and `count` templates `bench/many/t<i>` of `each` versions."""
    actor = Actor(User.objects.create_superuser("bench"))
    services.create_namespace(actor=actor, name="bench")
    template_save.save_version(actor=actor, name=NAME, document=DOCUMENT, message="")
    labels.move_label(actor=actor, name=NAME, label="production", version=1, expected=None)
    if count:
        saved = template_save.save_version(actor=actor, name="bench/many/t0", document=SHORT, message="")
        copy_templates(saved.template, count)
        copy_versions(saved.version, each)
    print(keys.issue_key(actor=actor, namespace="bench", name="bench", scope="read").secret)
    print(keys.issue_key(actor=actor, namespace="bench", name="writer", scope="write").secret)
    make_rollout(actor)
    print(keys.issue_key(actor=actor, namespace=GRADUAL, name="bench", scope="read").secret)


def make_rollout(actor: Actor) -> None:
    """Put two templates of the same bytes in production, and start a manual rollout of one."""
    services.create_namespace(
        actor=actor, name=GRADUAL, protected_labels=["production"], approvals=0, required_checks=[]
    )
    for name in (f"{GRADUAL}/plain", f"{GRADUAL}/reply"):
        saved = template_save.save_version(actor=actor, name=name, document=DOCUMENT, message="")
        change_services.publish_change(actor=actor, number=propose(actor, name, saved.version.number))
    document = DOCUMENT.replace("Answer", "Reply to")
    base = saved.version.digest
    saved = template_save.save_version(actor=actor, name=name, document=document, message="", base=base)
    number = propose(actor, name, saved.version.number)
    rollouts.start_rollout(actor=actor, change=number, steps=[{"share": 500, "hours": None}])


def propose(actor: Actor, name: str, version: int) -> int:
    """Open a change request for production; return its number."""
    return change_services.propose_change(
        actor=actor, name=name, label="production", version=version, message=""
    ).number


def copy_templates(first: Template, count: int) -> None:
    """Copy the template as t1, t2 and so on."""
    rows = []
    for number in range(1, count):
        row = Template.objects.get(pk=first.pk) if not rows else rows[0]
        fields = {field.attname: getattr(row, field.attname) for field in Template._meta.concrete_fields}
        rows.append(Template(**{**fields, "id": None, "name": f"bench/many/t{number}"}))
    Template.objects.bulk_create(rows, batch_size=500)


def copy_versions(first: Version, each: int) -> None:
    """Insert every version of every copy in one statement."""
    columns = [field.column for field in Version._meta.concrete_fields if field.column != "id"]
    values = {"template_id": "t.id", "number": "n.i"}
    chosen = ", ".join(values.get(column, f"v.{column}") for column in columns)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO registry_version ({', '.join(columns)}) "
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {int(each)}) "
            f"SELECT {chosen} FROM registry_template t, n, registry_version v "
            "WHERE v.id = %s AND t.name LIKE 'bench/many/%%' AND NOT (t.id = v.template_id AND n.i = 1)",
            [first.pk],
        )
        cursor.execute("ANALYZE")


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
