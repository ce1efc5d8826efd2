"""The hidden fields by which the forms of a change request say which versions they showed."""

from registry.changes.models import ChangeRequest
from registry.templates.label_models import Label

__all__ = ["seen_versions"]


def seen_versions(number: int) -> dict[str, int]:
    """The version that the change proposes, and the one that its label serves, 0 for none."""
    change = ChangeRequest.objects.select_related("version").get(number=number)
    label = Label.objects.select_related("version").filter(template=change.template_id, name=change.label).first()
    return {"seen_version": change.version.number, "expected": label.version.number if label else 0}
