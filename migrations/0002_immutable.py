"""Versions, events, decisions, label moves and samples stay as they were written."""

from django.db import migrations

from registry.journal.immutable_tables import Immutable


class Migration(migrations.Migration):
    dependencies = [("registry", "0001_initial")]
    operations = [Immutable()]
