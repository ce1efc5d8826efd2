"""How a person has Templates show folders."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0066_dataset_content_digest")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="folder_layout",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="how Templates shows folders: tree or flat; empty: not chosen, a tree",
                max_length=4,
            ),
        ),
        migrations.AlterField(
            model_name="sampleset",
            name="text",
            field=models.TextField(help_text='JSON of the samples in their order: {"sample name": {"input": value}}'),
        ),
    ]
