"""What versions took in and what closed requests were decided on, for what was written before either was kept.

Both are worked out from the journal by `registry.changes.derivation`, which a restore uses too.
"""

import json

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from registry.changes.derivation import Derivation, JournalFact, Contribution

MOST_TOLD = 20


def derive(apps: Apps, _schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Read the journal once, write what it tells, and say what was decided."""
    Event, Change = apps.get_model("registry", "Event"), apps.get_model("registry", "ChangeRequest")
    derivation, told = Derivation(), []
    for event in Event.objects.order_by("number").iterator():
        fact = JournalFact(
            event.kind,
            event.at,
            event.person,
            event.key,
            event.namespace,
            event.template,
            event.version,
            event.change,
            json.loads(event.text)["body"],
        )
        decided = derivation.decided(fact)
        if decided is not None:
            Change.objects.filter(number=event.change).update(decided=decided)
        elif event.kind == "change.reopened":
            Change.objects.filter(number=event.change).update(decided=None)
        for taken in derivation.take(fact):
            told.append(_write(apps, taken))
    for sentence in told[:MOST_TOLD]:
        print(f"\n    {sentence}", end="")
    if len(told) > MOST_TOLD:
        print(f"\n    and {len(told) - MOST_TOLD} more", end="")
    # Approvals by contributors do not count any more; the worker marks those approved again that still are.
    pending = Change.objects.filter(state="approved").update(state="open")
    if pending:
        print(f"\n    {pending} approved requests are looked at again by the worker", end="")


def _write(apps: Apps, taken: Contribution) -> str:
    Version, Contribution = apps.get_model("registry", "Version"), apps.get_model("registry", "Contribution")
    version = Version.objects.get(template__name=taken.template, number=taken.number)
    if taken.suggestion is None:
        source = Version.objects.get(template__name=taken.template, number=taken.source)
        Contribution.objects.get_or_create(version=version, source=source, comment=None)
        return f"{taken.template}@{taken.number} took in version {taken.source}"
    change, thread, number = taken.suggestion
    said = apps.get_model("registry", "Comment").objects.get(
        thread__change=change, thread__number=thread, number=number
    )
    Contribution.objects.get_or_create(version=version, comment=said, source=None)
    return f"{taken.template}@{taken.number} took in a suggestion of {said.person.username} (change {change})"


class Migration(migrations.Migration):
    dependencies = [("registry", "0020_two_people")]

    operations = [migrations.RunPython(derive, migrations.RunPython.noop)]
