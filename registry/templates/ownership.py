"""Ownership of templates as in the search index: by the namespace's rules, else the creator."""

import json
from collections.abc import Collection

from registry.accounts.models import User
from registry.templates.models import Template
from registry.templates.search_models import SearchEntry

__all__ = ["list_owned_names", "list_owners"]


def list_owners(template: Template) -> list[str]:
    """The owners that the list of templates shows; empty if the template is not listed."""
    facts = SearchEntry.objects.filter(template=template).values_list("facts", flat=True).first()
    return list(json.loads(facts)["owner"]) if facts else []


def list_owned_names(person: User, names: Collection[str]) -> set[str]:
    """List which of the named templates the person owns, without archived ones; one query."""
    rows = SearchEntry.objects.filter(name__in=list(names), is_archived=False).values_list("name", "facts")
    return {name for name, facts in rows if person.username in json.loads(facts)["owner"]}
