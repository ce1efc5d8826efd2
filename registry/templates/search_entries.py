"""Writing the search index: the entry of a template, and the counts of properties that templates share.

Entries are refreshed by reactions after the event, when the transaction has the journal's lock. Writers wait for each
other there and so never on each other's counts. `rebuild_entries` rebuilds all of them from the other tables.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import connection

from promptuary.renderer.document.parser import inspect_document
from registry.namespaces.models import Namespace
from registry.namespaces.rules import find_owners_of_path, read_owning_groups
from registry.templates.models import TOMBSTONE
from registry.templates.search_terms import MAX_VALUE_LENGTH, index_name, list_text_terms, read_words, write_facet_term

__all__ = ["FILTER_KINDS", "rebuild_entries", "refresh_entry", "refresh_facets", "refresh_owners", "rewrite_entry"]

FILTER_KINDS = ("tag", "label", "owner", "author", "model", "input", "check", "behind", "format")
"""The kinds that a list can be filtered by; an entry's `facts` has the values of each."""

Models = Callable[[str], Any]
Facts = dict[str, list[str]]
CountKey = tuple[int, str, str]
_DYNAMIC = ("label", "behind", "check", "owner")  # those that change without a save
_LIVE, _ARCHIVED, _FOLDER, _WORD = "live", "archived", "in", "word"
_MAX_VALUES = 200  # the most values of one kind in one template
_BATCH = 500
_COUNTS_AT_ONCE = 100


@dataclass(frozen=True)
class _State:
    """A template's data apart from its text: labels with their numbers, the newest outcome of each check, and the
    usernames of the namespace's groups if a group owns something.
    """

    labels: Mapping[str, int]
    outcomes: Mapping[str, str]
    groups: Mapping[str, Collection[str]]


def refresh_entry(template_id: int) -> None:
    """Replace the entry of a template after its text changed; it becomes the newest one."""
    _refresh([template_id], _select_live_models)


def rewrite_entry(template_id: int) -> None:
    """Rewrite the entry of a template after it was renamed, keeping its position in the order of changes."""
    entries = _select_live_models("SearchEntry").objects.filter(template=template_id)
    place = entries.values_list("pk", flat=True).first()
    _refresh([template_id], _select_live_models)
    if place is not None:
        renewed = entries.get()
        entries.all().delete()
        renewed.pk = place
        renewed.save(force_insert=True)


def refresh_facets(template_ids: Iterable[int]) -> None:
    """Update the values that change without a save: labels, checks, owners and whether it is archived."""
    rows = _select_live_models("Template").objects.filter(pk__in=list(template_ids), latest__isnull=False)
    rows = rows.select_related("namespace", "latest", "created_by").defer("latest__bundle")
    templates = {row.pk: row for row in rows}
    states = _read_states(list(templates.values()), _select_live_models)
    entries = _select_live_models("SearchEntry").objects.filter(template__in=list(templates)).defer("words")
    counts: Counter[CountKey] = Counter()
    for entry in entries:
        template = templates[entry.template_id]
        before = json.loads(entry.facts)
        facts = {kind: values for kind, values in before.items() if kind not in _DYNAMIC}
        facts |= _read_dynamic_facts(template, states[template.pk])
        counts.subtract(_count_keys(entry.namespace_id, entry.name, before, is_archived=entry.is_archived))
        entry.is_archived = template.archived_at is not None
        counts.update(_count_keys(entry.namespace_id, entry.name, facts, is_archived=entry.is_archived))
        entry.facts, entry.facets = _write_facts(facts), _write_facets(entry, facts)
        entry.save(update_fields=["is_archived", "facts", "facets"])
    _add_counts(counts)


def refresh_owners(namespace: Namespace) -> None:
    """Update the owners of a namespace's templates after its rules or groups changed."""
    groups = read_owning_groups([namespace])[namespace.pk]
    rows = _select_live_models("SearchEntry").objects.filter(namespace=namespace)
    changed_entries = [
        template
        for template, name, creator, facts in rows.values_list(
            "template_id", "name", "template__created_by__username", "facts"
        ).iterator()
        if json.loads(facts)["owner"]
        != (list(find_owners_of_path(namespace, name.partition("/")[2], groups)) or [creator])
    ]
    for start in range(0, len(changed_entries), _BATCH):
        refresh_facets(changed_entries[start : start + _BATCH])


def rebuild_entries(models: Models | None = None) -> int:
    """Rebuild all entries and counts, in the order of the templates' last changes. Return the number of entries.

    models: returns a model by its name; a migration passes its historical models.
    """
    models = models or _select_live_models
    models("SearchEntry").objects.all().delete()
    models("SearchCount").objects.all().delete()
    rows = models("Template").objects.filter(latest__isnull=False).order_by("updated_at", "pk")
    ids = list(rows.values_list("pk", flat=True))
    for start in range(0, len(ids), _BATCH):
        _refresh(ids[start : start + _BATCH], models)
    return len(ids)


def _select_live_models(name: str) -> Any:
    return apps.get_model("registry", name)


def _refresh(template_ids: Sequence[int], models: Models) -> None:
    model = models("SearchEntry")
    rows = models("Template").objects.filter(pk__in=template_ids, latest__isnull=False)
    rows = rows.select_related("namespace", "latest", "latest__author", "created_by").order_by("updated_at", "pk")
    templates = list(rows)
    counts: Counter[CountKey] = Counter()
    old = model.objects.filter(template__in=templates)
    for namespace, name, is_archived, facts in old.values_list("namespace_id", "name", "is_archived", "facts"):
        counts.subtract(_count_keys(namespace, name, json.loads(facts), is_archived=is_archived))
    old.delete()
    states = _read_states(templates, models)
    entries = [_make_entry(model, template, states[template.pk]) for template in templates]
    for entry in entries:
        facts = json.loads(entry.facts)
        counts.update(_count_keys(entry.namespace_id, entry.name, facts, is_archived=entry.is_archived))
    model.objects.bulk_create(entries, batch_size=_BATCH)
    _add_counts(counts)


def _make_entry(model: Any, template: Any, state: _State) -> Any:
    version = template.latest
    text = "" if version.bundle == TOMBSTONE else str(json.loads(version.bundle)["document"])
    document = inspect_document(text)[0]
    tags = list(document.tags) if document else []
    facts: Facts = {
        "tag": tags,
        "author": [version.author.username],
        "model": [document.model] if document and document.model else [],
        "input": list(document.inputs or ()) if document else [],
        "format": [template.format],
        **_read_dynamic_facts(template, state),
    }
    facts = {
        kind: list(dict.fromkeys(str(value)[:MAX_VALUE_LENGTH] for value in values))[:_MAX_VALUES]
        for kind, values in facts.items()
    }
    entry = model(template=template, namespace_id=template.namespace_id, name=template.name)
    entry.is_archived = template.archived_at is not None
    entry.facts, entry.facets = _write_facts(facts), _write_facets(entry, facts)
    entry.words = " ".join([*index_name(template.name), *list_text_terms([template.description, *tags, text])])
    return entry


def _read_states(templates: Sequence[Any], models: Models) -> dict[int, _State]:
    labels: defaultdict[int, dict[str, int]] = defaultdict(dict)
    rows = models("Label").objects.filter(template__in=[row.pk for row in templates])
    for template, name, number in rows.values_list("template_id", "name", "version__number"):
        labels[template][name] = number
    outcomes: defaultdict[int, dict[str, str]] = defaultdict(dict)
    verdicts = models("Verdict").objects.filter(version__in=[row.latest_id for row in templates]).order_by("pk")
    for template, name, outcome in verdicts.values_list("template_id", "check_name", "outcome"):
        outcomes[template][name] = outcome
    groups = read_owning_groups({row.namespace for row in templates})
    return {row.pk: _State(labels[row.pk], outcomes[row.pk], groups[row.namespace_id]) for row in templates}


def _read_dynamic_facts(template: Any, state: _State) -> Facts:
    newest = template.latest.number
    outcomes = set(state.outcomes.values())
    owners = find_owners_of_path(template.namespace, template.name.partition("/")[2], state.groups)
    return {
        "label": sorted(state.labels),
        "behind": sorted(label for label, number in state.labels.items() if number < newest),
        "check": ["failed"] if "failed" in outcomes else ["passed"] if outcomes else ["none"],
        "owner": list(owners) or [template.created_by.username],
    }


def _write_facts(facts: Facts) -> str:
    return json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _write_facets(entry: Any, facts: Mapping[str, Sequence[str]]) -> str:
    state = _ARCHIVED if entry.is_archived else _LIVE
    terms = {write_facet_term(state, ""), *(write_facet_term(_FOLDER, folder) for folder in _list_folders(entry.name))}
    terms |= {write_facet_term(kind, value) for kind, values in facts.items() for value in values}
    namespace = entry.name.partition("/")[0]
    # The protected labels depend on the namespace, so a list over several filters by pairs of namespace and label.
    terms |= {write_facet_term("behind", f"{namespace}:{label}") for label in facts["behind"]}
    return " ".join(sorted(terms))


def _list_folders(name: str) -> list[str]:
    """The namespace and the folders that a template is in: support, support/refunds."""
    segments = name.split("/")[:-1]
    return ["/".join(segments[: depth + 1]) for depth in range(len(segments))]


def _count_keys(
    namespace: int, name: str, facts: Mapping[str, Sequence[str]], *, is_archived: bool
) -> Iterable[CountKey]:
    """The keys that a template counts for, each once; none while it is archived."""
    if is_archived:
        return set()
    keys = {(namespace, kind, value) for kind, values in facts.items() for value in values}
    keys |= {(namespace, _FOLDER, folder) for folder in _list_folders(name)}
    return keys | {(namespace, _WORD, word) for word in read_words(name)}


def _add_counts(counts: Mapping[CountKey, int]) -> None:
    """Add to or subtract from the counts; rows that reach zero are deleted."""
    changes = sorted((key, change) for key, change in counts.items() if change)
    for start in range(0, len(changes), _COUNTS_AT_ONCE):
        rows = changes[start : start + _COUNTS_AT_ONCE]
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO registry_searchcount (namespace_id, kind, value, parent, count) "
                f"VALUES {_write_placeholders(5, len(rows))} ON CONFLICT (namespace_id, kind, value) "
                "DO UPDATE SET count = registry_searchcount.count + excluded.count",
                [value for key, change in rows for value in (*key, _find_parent(key), change)],
            )
            if smaller := [key for key, change in rows if change < 0]:
                cursor.execute(
                    "DELETE FROM registry_searchcount WHERE count <= 0 AND (namespace_id, kind, value) IN "
                    f"(VALUES {_write_placeholders(3, len(smaller))})",
                    [value for key in smaller for value in key],
                )


def _find_parent(key: CountKey) -> str:
    return key[2].rpartition("/")[0] if key[1] == _FOLDER else ""


def _write_placeholders(columns: int, rows: int) -> str:
    return ", ".join([f"({', '.join(['%s'] * columns)})"] * rows)
