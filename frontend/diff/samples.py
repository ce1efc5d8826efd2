"""Two versions on every sample: what each reads there, where they differ, what is cut now and was not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frontend.diff import preview as diff_preview
from frontend.diff import rendered
from frontend.diff.preview import Failure, Preview
from registry.core.errors import PromptuaryError
from registry.templates import sample_renderings
from registry.templates.models import Version

__all__ = ["MOST", "Case", "of"]

# More samples than this are not set against each other on one page; the checks look at all of them.
MOST = 60


@dataclass(frozen=True)
class Case:
    """One sample on both sides; an empty preview stands for a side that is not there."""

    name: str
    old: Preview
    new: Preview

    @property
    def differs(self) -> bool:
        """Whether the model reads something else now, or one side does not render."""
        return _read(self.old) != _read(self.new)

    @property
    def newly_cut(self) -> list[str]:
        """Parts that have to give way now and had not to before, each once."""
        before = {str(cut.get("name")) for cut in self.old.cut}
        return [name for name in dict.fromkeys(str(cut.get("name")) for cut in self.new.cut) if name not in before]


def of(old: Version | None, new: Version, samples: Mapping[str, Mapping[str, Any]]) -> list[Case]:
    """The samples in their order; two queries, and a rendering only of what was rendered never before."""
    before = _previews(old, samples) if old else {}
    after = _previews(new, samples)
    return [Case(name, before.get(name, Preview()), after[name]) for name in samples]


def _previews(version: Version, samples: Mapping[str, Mapping[str, Any]]) -> dict[str, Preview]:
    try:
        outcomes = sample_renderings.of_samples(version, samples)
    except PromptuaryError as error:
        return dict.fromkeys(samples, Preview(failure=Failure("", f"{error.message} Reload to try again.")))
    return {name: diff_preview.of_outcome(outcome) for name, outcome in outcomes.items()}


def _read(preview: Preview) -> list[tuple[str, str, str]] | str:
    if preview.failure:
        return preview.failure.message
    return [(str(part.get("name")), str(part.get("role")), rendered.text_of(part)) for part in preview.parts]
