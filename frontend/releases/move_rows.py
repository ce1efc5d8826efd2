"""What a panel of a release says about the move of one template's label."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from frontend.changes.check_summaries import CheckSummary, summarize_checks
from frontend.changes.label_evidence import count_metrics
from registry.changes.label_preview import LabelPreview

__all__ = ["MoveRow"]


@dataclass(frozen=True)
class MoveRow:
    """A template whose label would move, with the effects. What is costly to find is at `size_url` and
    `evidence_url`, which the panel loads when it shows them.
    """

    preview: LabelPreview

    @property
    def message(self) -> str:
        """The first line of the version's message."""
        return self.preview.version.message.partition("\n")[0]

    @property
    def counts(self) -> list[tuple[int, str, str, str]]:
        """How many metrics are worse, better, unclear: figure, word, look, icon; empty if nothing was run."""
        return count_metrics(self.preview.evaluation)

    @property
    def checks(self) -> CheckSummary | None:
        """The checks of the version in a few words; None if none was run and none is required."""
        return summarize_checks(self.preview.checks)

    @property
    def diff_url(self) -> str:
        """The URL of the difference from the version the label serves, or of the text itself if it serves nothing."""
        name, number = self.preview.template.name, self.preview.version.number
        if self.preview.serves is None:
            return f"{reverse('template', args=[name])}?{urlencode({'ref': number})}"
        return f"{reverse('diff', args=[name])}?{urlencode({'from': self.preview.serves.number, 'to': number})}"

    @property
    def size_url(self) -> str:
        """The URL of how much the move changes."""
        return self._build_url("move-size")

    @property
    def evidence_url(self) -> str:
        """The URL of everything that follows from the move, as in the panel of a single template."""
        return self._build_url("move-evidence")

    def _build_url(self, view: str) -> str:
        query = urlencode({"label": self.preview.label, "version": self.preview.version.number})
        return f"{reverse(view, args=[self.preview.template.name])}?{query}"
