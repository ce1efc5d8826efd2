"""Decisions that take back what the same person decided before."""

from django.db import migrations, models

from registry.journal.immutable_tables import Immutable

_DECISIONS = ("approve", "request_changes", "comment", "acknowledge", "take_back")


class Migration(migrations.Migration):
    dependencies = [("registry", "0056_dataset_archive")]

    operations = [
        migrations.RemoveConstraint(model_name="decision", name="decision_known"),
        migrations.RemoveConstraint(model_name="decision", name="decision_key_never_approves"),
        migrations.AlterField(
            model_name="decision",
            name="decision",
            field=models.CharField(choices=[(name, name) for name in _DECISIONS], max_length=16),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(condition=models.Q(decision__in=_DECISIONS), name="decision_known"),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=~models.Q(decision__in=("approve", "acknowledge", "take_back")) | models.Q(key__isnull=True),
                name="decision_key_never_approves",
            ),
        ),
        Immutable(),
    ]
