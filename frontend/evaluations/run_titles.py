"""The title of a run on pages: its version, or the proposal."""

from django.utils.translation import gettext

from registry.evaluations.models import Run

__all__ = ["write_version_title"]


def write_version_title(run: Run) -> str:
    """What a run measures: `v3`, or a proposal that isn't a version."""
    if run.is_draft:
        return gettext("proposal for v{number}").format(number=run.version.number)
    return f"v{run.version.number}"
