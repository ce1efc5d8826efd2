"""Each label move says whether the label was protected then. For moves made before, the journal's rules of that time say it."""

import json
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta

from django.db import migrations, models

from registry.journal import immutable_tables
from registry.changes.derivation import RULING, Protection

MOVED = "label.moved"


def read_moves(event_model):
    """For each label.moved of the journal: (template, label), its time, and whether the label was protected."""
    protection = Protection()
    rows = event_model.objects.filter(kind__in=[*RULING, MOVED]).order_by("number")
    for kind, namespace, at, text in rows.values_list("kind", "namespace", "at", "text").iterator(chunk_size=500):
        body = read_body(text)
        protection.apply_event(kind, namespace, body)
        if kind == MOVED:
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at)
            yield (body["template"], body["label"]), moment, protection.is_protected(namespace, body["label"])


def fill(apps, schema_editor):
    """Write `protected` of every row; a row without its event in the journal stays unprotected, and is named."""
    moves, events = apps.get_model("registry", "LabelMove"), apps.get_model("registry", "Event")
    immutable_tables.remove_triggers(schema_editor, ["registry_labelmove"])
    decided = {}
    for place, moment, protected in read_moves(events):
        decided.setdefault(place, []).append((moment, protected))
    made, unknown = [], Counter()
    for pk, name, label, at in moves.objects.order_by("pk").values_list("pk", "template__name", "label", "created_at"):
        told = decided.get((name, label), [])
        if not told or told[0][0] != at:
            unknown[name, label] += 1
            continue
        if told.pop(0)[1]:
            made.append(pk)
    for start in range(0, len(made), 500):
        moves.objects.filter(pk__in=made[start : start + 500]).update(protected=True)
    report(moves, apps.get_model("registry", "Label"), unknown)


def report(moves, labels, unknown):
    """Say in a line for each label that ever moved under protection what was decided, and how many moves were free."""
    rows = moves.objects.filter(protected=True).order_by("template__name", "label", "pk")
    found = {}
    for move in rows.select_related("template", "after", "change"):
        place = found.setdefault((move.template.name, move.label), [0, set(), set()])
        place[0] += 1
        if move.how == "published" or (move.how == "broke_glass" and not move.change.unreviewed):
            place[1].add(move.after.number)
            place[2].add(move.after.digest)
    lines = []
    for (name, label), (count, numbers, digests) in found.items():
        held = ", ".join(map(str, sorted(numbers))) or "none"
        serves = labels.objects.filter(template__name=name, name=label).select_related("version").first()
        line = f"{name} {label}: {count} moves under protection; versions held by approval: {held}."
        if serves is not None and serves.version.digest not in digests:
            line += f" It serves version {serves.version.number}, which was not approved for it."
        lines.append(line)
    free = moves.objects.filter(protected=False).count() - sum(unknown.values())
    if free:
        lines.append(f"{free} other label moves were made while their label was not protected.")
    lines += [
        f"{name} {label}: {count} moves have no event in the journal; they count as made without protection."
        for (name, label), count in sorted(unknown.items())
    ]
    sys.stdout.write("".join(f"\n    {line}" for line in lines))


def read_body(text):
    """The body of an event from its text."""
    return json.loads(text)["body"]


class Migration(migrations.Migration):
    dependencies = [("registry", "0016_judged_runs")]

    operations = [
        migrations.AddField(
            model_name="labelmove",
            name="protected",
            field=models.BooleanField(default=False, help_text="whether the label was protected when it moved"),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        immutable_tables.Immutable(),
    ]
