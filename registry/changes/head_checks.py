"""Whether a version can be proposed for a label: the label is protected, and publishing it would change something."""

from django.utils.translation import gettext

from registry.changes import history_queries
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, Invalid, NotFound
from registry.templates.label_models import Label
from registry.templates.label_moves import Approval, find_approval_of_label, is_approved_digest
from registry.templates.models import Template, Version

__all__ = [
    "describe_contained",
    "find_head_version",
    "find_stable_label",
    "require_new_head",
    "require_protected",
]


def require_protected(template: Template, label: str) -> None:
    if label not in template.namespace.protected_labels:
        raise Invalid(
            fields={
                "label": gettext("{label} is not protected in {namespace}: move it without a change.").format(
                    label=label, namespace=template.namespace.name
                )
            }
        )


def find_head_version(template: Template, number: int) -> Version:
    version = Version.objects.select_related("author").filter(template=template, number=number).first()
    if version is None:
        raise NotFound(gettext("{template} has no version {number}.").format(template=template.name, number=number))
    version.require_text()
    return version


def require_new_head(template: Template, label: str, head: Version) -> None:
    """Raise Invalid or Conflict if a request for this head would change nothing: the label serves it, or something that
    contains it, or another request proposes it.

    A version that the label serves may be proposed if the label never held it by approval: publishing approves it.
    """
    label_row = Label.objects.filter(template=template, name=label).select_related("version").first()
    if label_row is not None and label_row.version.digest == head.digest:
        already_served = gettext("{label} already serves exactly this (version {version})").format(
            label=label, version=label_row.version.number
        )
        approval = find_approval_of_label(template, label)
        if approval == Approval.EMERGENCY:
            raise Invalid(
                fields={
                    "version": gettext("{known}: approve the change that was published in an emergency.").format(
                        known=already_served
                    )
                }
            )
        if approval != Approval.NEVER_APPROVED:
            raise Invalid(fields={"version": f"{already_served}."})
    elif label_row is not None and history_queries.read_version_graph([template.pk]).is_superseded(
        head.pk, label_row.version_id
    ):
        was_approved = is_approved_digest(template, label, head.digest)
        sentence = describe_contained(label, label_row.version.number, head.number, was_approved=was_approved)
        raise Invalid(fields={"version": sentence})
    pending = ChangeRequest.objects.filter(
        template=template, label=label, version=head, state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED)
    ).first()
    if pending is not None:
        raise Conflict(
            gettext("Change {pending} already proposes version {head} for {label}.").format(
                pending=pending.number, head=head.number, label=label
            ),
            change=pending.number,
        )


def describe_contained(label: str, holds: int, number: int, *, was_approved: bool) -> str:
    """Why a version that is contained in what the label serves can't be proposed, and what to do instead.

    holds, number: of the version that is served, and of the older one. was_approved: whether the label held the older
    one by approval, so that it can be rolled back to.
    """
    cause = gettext("{label} serves version {holds}, which already contains version {number}.")
    if was_approved:
        advice = gettext("To serve version {number} again, use Roll back instead.")
    else:
        advice = gettext(
            "{label} never held version {number} by approval, so Roll back doesn't lead there: restore its text as a "
            "new version, and propose that."
        )
    return f"{cause} {advice}".format(label=label, holds=holds, number=number)


def find_stable_label(template: Template, label: str, head: Version) -> Label:
    """Return the label whose callers a rollout of `head` splits. Raises Conflict if it serves nothing or `head`."""
    row = Label.objects.select_related("version").filter(template=template, name=label).first()
    if row is None:
        raise Conflict(
            gettext("{label} serves nothing yet, so there is nothing to stay on: publish all at once.").format(
                label=label
            )
        )
    if row.version.digest == head.digest:
        raise Conflict(gettext("{label} serves this already: publish it all at once.").format(label=label))
    return row
