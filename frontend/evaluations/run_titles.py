"""The title of a run on pages: the version that it asked, or the proposal."""

from django.utils.translation import gettext

from registry.evaluations.models import Run

__all__ = ["version_title"]


def version_title(run: Run) -> str:
    """What a run asked: `v3`, or a proposal that is no version."""
    if run.is_draft:
        return gettext("proposal for v{number}").format(number=run.version.number)
    return f"v{run.version.number}"
