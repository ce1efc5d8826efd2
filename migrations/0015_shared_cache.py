"""The table of the shared cache: failed sign-ins and used codes, on which all processes have to agree."""

from django.db import migrations

from migrations._additions import add_cache_table, remove_cache_table


class Migration(migrations.Migration):
    dependencies = [("registry", "0014_reports")]
    operations = [migrations.RunPython(add_cache_table, remove_cache_table)]
