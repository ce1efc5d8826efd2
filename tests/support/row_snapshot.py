"""Snapshots of every journalled row of a database, comparable with those of another database."""

import json
import re
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import models

RECOVERY = Path(__file__).parents[2] / "docs/operate/recovery.md"
NAMES = {  # the name of a row across databases, if its key is a generated number
    "Comment": lambda row: f"{row.thread.change_id}#{row.thread.number}/{row.number}",
    "Dataset": lambda row: row.name,
    "DatasetVersion": lambda row: f"{row.dataset.name}@{row.number}",
    "Group": lambda row: f"{row.namespace.name}/{row.name}",
    "Namespace": lambda row: row.name,
    "Template": lambda row: row.name,
    "User": lambda row: row.username,
    "Version": lambda row: f"{row.template.name}@{row.number}",
    "Thread": lambda row: f"{row.change_id}#{row.number}",
}


def read_table() -> dict[str, tuple[str, set[str]]]:
    """Model name to (kind, fields not restored), as documented for operators."""
    rows = re.findall(r"^\| (\w+) \| (journalled|operational) \|(.*)\|$", RECOVERY.read_text(), re.MULTILINE)
    return {name: (kind, {field.strip() for field in rest.split(",") if field.strip()}) for name, kind, rest in rows}


def snapshot_rows() -> dict[str, list[str]]:
    """Model name to its rows, as fields by name, without the rows' numbers."""
    return {
        name: sorted(repr(_read_fields(row, skipped)) for row in apps.get_model("registry", name).objects.all())
        for name, (kind, skipped) in read_table().items()
        if kind == "journalled"
    }


def _read_fields(row: models.Model, skipped: set[str]) -> dict[str, Any]:
    found = {}
    for field in row._meta.concrete_fields:
        if field.name not in skipped and not isinstance(field, models.AutoField):
            value = getattr(row, field.name)
            if isinstance(value, dict | list):
                value = json.dumps(value, sort_keys=True)  # PostgreSQL reorders an object's keys
            found[field.name] = NAMES.get(type(value).__name__, lambda it: getattr(it, "pk", it))(value)
    return found
