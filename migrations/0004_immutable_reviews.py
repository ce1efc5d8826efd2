"""Comments and verdicts stay as they were written, too."""

from django.db import migrations

from registry.journal.immutable_tables import Immutable


class Migration(migrations.Migration):
    dependencies = [("registry", "0003_reviews")]
    operations = [Immutable()]
