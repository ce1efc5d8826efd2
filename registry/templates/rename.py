"""Renaming templates inside their namespace, one or all of a folder. The former name leads to the template for ever."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.input_checks import check_text
from registry.journal import log
from registry.namespaces import folder_roles, permissions
from registry.namespaces.models import Namespace
from registry.namespaces.rules import standards_of
from registry.namespaces.verbs import Verb
from registry.templates import label_queries
from registry.templates import queries as template_queries
from registry.templates.events import TemplateRenamed
from registry.templates.former_names import FormerName
from registry.templates.models import Draft, Template

__all__ = ["MOST_TEMPLATES", "list_folder", "rename_folder", "rename_template", "write_name"]

MOST_TEMPLATES = 500  # of a folder that is renamed at once: each is an event of its own in one transaction


def rename_template(*, actor: Actor, name: str, to: str, reason: str = "") -> Template:
    """Rename a template inside its namespace; admins only.

    Digests, versions, labels and requests stay. The former name leads to the template from then on, and no other
    template can take it; the template itself can go back to it. Conflict if the new name is taken, or was the name
    of another template. Raises Invalid if it is in another namespace or breaks the namespace's standard of names.
    """
    check_text("reason", reason)
    _check_target(name, to)
    with transaction.atomic():
        template_queries.find_template(actor, Verb.MANAGE, name, lock=True, act=gettext("rename templates"))
        log.lock()
        template = template_queries.find_template(actor, Verb.MANAGE, name, act=gettext("rename templates"))
        permissions.require_proof(actor)
        _rename(actor, template, to, reason.strip(), log.now())
    return template


def rename_folder(*, actor: Actor, folder: str, to: str, reason: str = "") -> list[Template]:
    """Give all templates of a folder, archived ones too, the same names in another folder of the namespace: all or
    none.

    folder, to: with the namespace in front; `to` may be the namespace alone, or a folder that there is. Refused as
    `rename_template` refuses each; NotFound if the folder holds no template, Invalid over MOST_TEMPLATES. People's
    roles in the folder go with it. Raises Conflict if they would reach templates that are in the other folder already.
    """
    check_text("reason", reason)
    _check_folders(folder, to)
    with transaction.atomic():
        for name in list_folder(actor=actor, folder=folder):
            template_queries.lock_template(name)
        log.lock()
        listed, at = list_folder(actor=actor, folder=folder), log.now()
        permissions.require_proof(actor)
        templates = [
            template_queries.find_template(actor, Verb.MANAGE, name, act=gettext("rename templates")) for name in listed
        ]
        namespace, paths = templates[0].namespace, (folder.partition("/")[2], to.partition("/")[2])
        has_templates = Template.objects.filter(namespace=namespace, name__startswith=f"{to}/").exists()
        folder_roles.require_movable_roles(namespace, *paths, has_templates=has_templates)
        for template in templates:
            target = to + template.name.removeprefix(folder)
            _check_target(template.name, target)
            _rename(actor, template, target, reason.strip(), at)
        folder_roles.move_folder_roles(actor, namespace, *paths)
    return templates


def list_folder(*, actor: Actor, folder: str) -> list[str]:
    """The names of the templates that a renaming of the folder would rename, for admins; at most MOST_TEMPLATES."""
    names.check_folder(folder)
    namespace = permissions.find_namespace(actor, Verb.MANAGE, folder.partition("/")[0], act=gettext("rename folders"))
    rows = Template.objects.filter(namespace=namespace, name__startswith=f"{folder}/").order_by("name")
    listed = list(rows.values_list("name", flat=True)[: MOST_TEMPLATES + 1])
    if not listed:
        raise NotFound(gettext("There is no folder {value}, or it has no template.").format(value=folder[:600]))
    if len(listed) > MOST_TEMPLATES:
        raise Invalid(
            fields={
                "folder": gettext("it has more than {most_templates} templates: rename its folders one by one.").format(
                    most_templates=MOST_TEMPLATES
                )
            }
        )
    return listed


def write_name(template: Template, to: str, at: datetime) -> None:
    """Write the rows of a renaming; for the services here and the restore, inside a transaction.

    People's drafts of the template go with it; what somebody drafted for a new template of that name is discarded,
    and can be restored as every discarded draft.
    """
    former, path = template.name, template.path
    FormerName.objects.filter(name=to, template=template).delete()
    FormerName.objects.create(name=former, template=template, renamed_at=at)
    template.name, template.renamed_at = to, at
    template.save(update_fields=["name", "renamed_at"])
    drafts = Draft.everything.filter(namespace=template.namespace_id)
    drafts.filter(path=template.path, discarded_at=None).update(discarded_at=at)
    drafts.filter(path=path).update(path=template.path)


def _rename(actor: Actor, template: Template, to: str, reason: str, at: datetime) -> None:
    _require_free(template, to)
    _check_standard(template.namespace, to)
    former = template.name
    try:
        with transaction.atomic():
            write_name(template, to, at)
    except IntegrityError:  # a first save of that name was quicker
        raise _taken(to) from None
    event = TemplateRenamed(
        template=to,
        former=former,
        version=template.latest.number if template.latest else 0,
        labels={name: label.version.number for name, label in label_queries.labels_of(template).items()},
        has_samples=template.sample_sets.exists(),
        is_archived=template.archived_at is not None,
        reason=reason,
    )
    log.append(actor, event, namespace=template.namespace, at=at, subject=template)


def _check_target(name: str, to: str) -> None:
    try:
        namespace, _ = names.check_template(to)
    except Invalid as error:
        raise Invalid(fields={"to": error.fields["name"]}) from error
    if namespace != name.partition("/")[0]:
        raise Invalid(
            fields={
                "to": gettext(
                    "a template stays in its namespace: copy it to {namespace}, and archive {name} here."
                ).format(namespace=namespace, name=name)
            }
        )
    if to == name:
        raise Invalid(fields={"to": gettext("{name} has that name already.").format(name=name)})


def _check_folders(folder: str, to: str) -> None:
    names.check_folder(folder)
    if "/" not in folder:
        raise Invalid(
            fields={
                "folder": gettext("{folder!r} is a namespace, which keeps its name: name a folder in it.").format(
                    folder=folder
                )
            }
        )
    try:
        names.check_folder(to)
    except Invalid as error:
        raise Invalid(fields={"to": error.fields["folder"]}) from error
    if to == folder or to.startswith(f"{folder}/"):
        sentence = gettext("{name} has that name already.") if to == folder else gettext("{to} is inside {name}.")
        raise Invalid(fields={"to": sentence.format(to=to, name=folder)})


def _check_standard(namespace: Namespace, to: str) -> None:
    standard = standards_of(namespace).name
    if standard is not None and standard.severity == "error" and not standard.fits(to.partition("/")[2]):
        raise Invalid(fields={"to": standard.explain(to.partition("/")[2])})


def _require_free(template: Template, to: str) -> None:
    if Template.objects.filter(name=to).exists():
        raise _taken(to)
    former = FormerName.objects.filter(name=to).exclude(template=template).select_related("template").first()
    if former is not None:
        raise Conflict(
            gettext("{to} was the name of {name} and leads there: choose another.").format(
                to=to, name=former.template.name
            ),
            taken=to,
        )


def _taken(to: str) -> Conflict:
    return Conflict(gettext("There is a template {to} already: choose another name.").format(to=to), taken=to)
