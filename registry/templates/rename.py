"""Renaming one template, or all in a folder, inside their namespace. The former name redirects forever."""

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
from registry.namespaces.rules import find_standards
from registry.namespaces.verbs import Verb
from registry.templates import label_queries
from registry.templates import queries as template_queries
from registry.templates.events import TemplateRenamed
from registry.templates.former_names import FormerName
from registry.templates.models import Draft, Template
from registry.templates.rename_losses import require_confirmed

__all__ = ["MAX_TEMPLATES", "list_folder", "rename_folder", "rename_template", "write_name"]

MAX_TEMPLATES = 500  # the most in one folder renaming, whose events are written in one transaction


def rename_template(*, actor: Actor, name: str, to: str, reason: str = "", confirmed: str = "") -> Template:
    """Rename a template inside its namespace; admins only.

    confirmed: the seal of what is lost by it, as in `rename_losses.require_confirmed`, with its error.

    Digests, versions, labels and change requests stay. The former name redirects to the template from then on; only the
    template itself can take it again. Raises Conflict if the new name is taken or was the name of another template,
    Invalid if it is in another namespace or violates the namespace's naming standard.
    """
    check_text("reason", reason)
    _check_target(name, to)
    with transaction.atomic():
        template_queries.find_template(actor, Verb.MANAGE, name, lock=True, act=gettext("rename templates"))
        log.lock()
        template = template_queries.find_template(actor, Verb.MANAGE, name, act=gettext("rename templates"))
        permissions.require_proof(actor)
        require_confirmed(template.namespace, [(template.path, to.partition("/")[2])], confirmed)
        _rename(actor, template, to, reason.strip(), log.now())
    return template


def rename_folder(*, actor: Actor, folder: str, to: str, reason: str = "", confirmed: str = "") -> list[Template]:
    """Move all templates of a folder, archived ones too, to another folder of the namespace: all or none.

    folder, to: full paths, with the namespace; `to` may be the namespace alone or an existing folder. People's roles in
    the folder move with it. confirmed: as in `rename_template`. Raises what `rename_template` raises for each, NotFound
    if the folder contains no template, Invalid over MAX_TEMPLATES, Conflict if the moved roles would apply to
    templates already in the other folder.
    """
    check_text("reason", reason)
    _check_folders(folder, to)
    with transaction.atomic():
        for name in list_folder(actor=actor, folder=folder):
            template_queries.lock_template(name)
        log.lock()
        listed = list_folder(actor=actor, folder=folder)
        permissions.require_proof(actor)
        templates = [
            template_queries.find_template(actor, Verb.MANAGE, name, act=gettext("rename templates")) for name in listed
        ]
        namespace, paths = templates[0].namespace, (folder.partition("/")[2], to.partition("/")[2])
        has_templates = Template.objects.filter(namespace=namespace, name__startswith=f"{to}/").exists()
        folder_roles.require_movable_roles(namespace, *paths, has_templates=has_templates)
        targets = [(to + template.name.removeprefix(folder)).partition("/")[2] for template in templates]
        moved = [(template.path, target) for template, target in zip(templates, targets, strict=True)]
        require_confirmed(namespace, moved, confirmed, paths)
        at = log.now()
        for template in templates:
            target = to + template.name.removeprefix(folder)
            _check_target(template.name, target)
            _rename(actor, template, target, reason.strip(), at)
        folder_roles.move_folder_roles(actor, namespace, *paths)
    return templates


def list_folder(*, actor: Actor, folder: str) -> list[str]:
    """The names of the templates that renaming the folder would rename, for admins; at most MAX_TEMPLATES."""
    names.check_folder(folder)
    namespace = permissions.find_namespace(actor, Verb.MANAGE, folder.partition("/")[0], act=gettext("rename folders"))
    rows = Template.objects.filter(namespace=namespace, name__startswith=f"{folder}/").order_by("name")
    listed = list(rows.values_list("name", flat=True)[: MAX_TEMPLATES + 1])
    if not listed:
        raise NotFound(gettext("There is no folder {value}, or it has no template.").format(value=folder[:600]))
    if len(listed) > MAX_TEMPLATES:
        raise Invalid(
            fields={
                "folder": gettext("it has more than {most_templates} templates: rename its folders one by one.").format(
                    most_templates=MAX_TEMPLATES
                )
            }
        )
    return listed


def write_name(template: Template, to: str, at: datetime) -> None:
    """Write the rows of a renaming; for the services here and the restore, inside a transaction.

    Drafts of the template are renamed with it. A draft of a new template with that name is discarded, and can be
    restored like any discarded draft.
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
    except IntegrityError:  # a first save under that name committed before
        raise _refuse_taken(to) from None
    event = TemplateRenamed(
        template=to,
        former=former,
        version=template.latest.number if template.latest else 0,
        labels={name: label.version.number for name, label in label_queries.list_labels(template).items()},
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
    standard = find_standards(namespace).name
    if standard is not None and standard.severity == "error" and not standard.fits(to.partition("/")[2]):
        raise Invalid(fields={"to": standard.explain(to.partition("/")[2])})


def _require_free(template: Template, to: str) -> None:
    if Template.objects.filter(name=to).exists():
        raise _refuse_taken(to)
    former = FormerName.objects.filter(name=to).exclude(template=template).select_related("template").first()
    if former is not None:
        raise Conflict(
            gettext("{to} was the name of {name} and leads there: choose another.").format(
                to=to, name=former.template.name
            ),
            taken=to,
        )


def _refuse_taken(to: str) -> Conflict:
    return Conflict(gettext("There is a template {to} already: choose another name.").format(to=to), taken=to)
