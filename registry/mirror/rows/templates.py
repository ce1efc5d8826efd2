"""Templates, versions, samples and labels from their events."""

from collections.abc import Mapping
from typing import Any

from promptuary.renderer import digest as bundle_digest
from promptuary.renderer.document.parser import parse_document
from registry.changes.models import ChangeRequest
from registry.journal import immutable_tables, mirror_paths
from registry.journal.log import canonical
from registry.journal.models import Event
from registry.mirror import restore_gate
from registry.mirror.errors import MirrorError
from registry.mirror.restorer import Read, Rows, moment, read_yaml, require_digest
from registry.redaction import services as redaction_services
from registry.templates.models import Label, LabelMove, SampleSet, Template, Version
from registry.templates.search_index import update_search_index

__all__ = [
    "label_moved",
    "samples_saved",
    "template_archived",
    "template_unarchived",
    "version_redacted",
    "version_saved",
]


def version_saved(rows: Rows, event: Event, body: Mapping[str, Any], read: Read) -> None:
    if rows.is_redacted(event.template, body["number"]):
        texts = immutable_tables.TOMBSTONES["registry_version"].texts
        update_search_index(*_add_version(rows, event, body, texts), parse_document(""))
        return
    kept = read_yaml(event, read(mirror_paths.bundle(event.template)))
    text = read(mirror_paths.document(event.template)).decode()
    bundle = {
        "engine": kept["engine"],
        "document": text,
        "fragments": kept["fragments"],
        "profile": kept["profile"],
    }
    if bundle_digest(bundle) != body["digest"]:
        raise MirrorError(f"The files of event {event.number} do not have the digest that it names.")
    document = parse_document(text)
    texts = {
        "bundle": canonical(bundle),
        "settings": canonical(document.settings),
        "problems": canonical(kept["problems"]),
    }
    update_search_index(*_add_version(rows, event, body, texts), document)


def _add_version(
    rows: Rows, event: Event, body: Mapping[str, Any], texts: Mapping[str, str]
) -> tuple[Template, Version]:
    template = rows.templates.get(event.template) or _make_template(rows, event, body)
    version = Version.objects.create(
        template=template,
        number=body["number"],
        digest=body["digest"],
        **texts,
        base=rows.version(event, body["base"]) if body["base"] else None,
        author=rows.person(event.person),
        key_id=event.key or None,
        message=body["message"],
        created_at=moment(event),
    )
    return template, version


def version_redacted(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    version = rows.version(event, body["version"])
    redaction_services.bury(version, reason=body["reason"], person=rows.person(event.person), at=moment(event))


def template_archived(rows: Rows, event: Event, _body: Mapping[str, Any], _read: Read) -> None:
    Template.objects.filter(name=event.template).update(archived_at=moment(event))
    rows.templates[event.template].archived_at = moment(event)


def template_unarchived(rows: Rows, event: Event, _body: Mapping[str, Any], _read: Read) -> None:
    Template.objects.filter(name=event.template).update(archived_at=None)
    rows.templates[event.template].archived_at = None


def samples_saved(rows: Rows, event: Event, body: Mapping[str, Any], read: Read) -> None:
    text = canonical(read_yaml(event, read(mirror_paths.samples(event.template))))
    require_digest(event, text, body["digest"])
    SampleSet.objects.create(
        template=rows.templates[event.template],
        number=body["number"],
        digest=body["digest"],
        text=text,
        author=rows.person(event.person),
        key_id=event.key or None,
        created_at=moment(event),
    )


def label_moved(rows: Rows, event: Event, body: Mapping[str, Any], _read: Read) -> None:
    restore_gate.require_allowed(rows, event, body)
    template, label = rows.templates[event.template], body["label"]
    target = rows.version(event, body["to"]) if body["to"] else None
    if target is None:
        Label.objects.filter(template=template, name=label).delete()
    else:
        place = {"version": target, "moved_at": moment(event)}
        Label.objects.update_or_create(template=template, name=label, defaults=place)
    LabelMove.objects.create(
        template=template,
        label=label,
        before=rows.version(event, body["from"]) if body["from"] else None,
        after=target,
        how=body["how"],
        protected=rows.protection.is_protected(event.namespace, label),
        reason=body["reason"],
        change_id=body["change"],
        created_at=moment(event),
        **rows.by(event),
    )
    if body["change"] is not None:
        closed = {"state": ChangeRequest.PUBLISHED, "closed_at": moment(event), "updated_at": moment(event)}
        closed["unreviewed"] = body["how"] == "broke_glass"
        ChangeRequest.objects.filter(number=body["change"]).update(**closed)


def _make_template(rows: Rows, event: Event, body: Mapping[str, Any]) -> Template:
    template = Template.objects.create(
        namespace=rows.namespaces[event.namespace],
        name=event.template,
        copied_from=body["copied_from"],
        created_by=rows.person(event.person),
        created_at=moment(event),
        updated_at=moment(event),
    )
    rows.templates[template.name] = template
    return template
