"""What a folder without templates was probably meant to be."""

from itertools import accumulate

from django.utils.translation import gettext

from promptuary.renderer.syntax import suggestions
from registry.templates.models import Template

__all__ = ["describe_empty_folder", "find_likely_folder", "is_empty_folder"]

_LIMIT = 20_000  # names that are read


def describe_empty_folder(namespace: str, folder: str) -> str:
    """The warning about a folder without templates, with the one that was probably meant; empty if it has some."""
    if not is_empty_folder(namespace, folder):
        return ""
    likely = find_likely_folder(namespace, folder)
    if likely is None:
        return gettext("No template is in this folder yet.")
    return gettext("No template is in this folder yet. Did you mean {likely}?").format(likely=likely)


def is_empty_folder(namespace: str, folder: str) -> bool:
    """Whether no template is in the folder or below it; archived ones don't count. folder: inside the namespace."""
    rows = Template.objects.filter(namespace__name=namespace, archived_at=None)
    return not rows.filter(name__startswith=f"{namespace}/{folder}/").exists()


def find_likely_folder(namespace: str, folder: str) -> str | None:
    """The folder with templates whose name is most similar, inside the namespace; None if there is none."""
    rows = Template.objects.filter(namespace__name=namespace, archived_at=None).order_by("name")
    folders: dict[str, None] = {}
    for name in rows.values_list("name", flat=True)[:_LIMIT]:
        segments = name.split("/")[1:-1]
        folders |= dict.fromkeys(accumulate(segments, lambda before, segment: f"{before}/{segment}"))
    return suggestions.find_likely_name(folder, folders)
