"""The check that a version can render at least one row, so that no run starts whose every row would fail."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from promptuary.evaluation import Row
from promptuary.renderer.errors import InputError, RenderError
from registry.core.errors import Invalid
from registry.core.renderer_pool import borrow_renderer, list_sources
from registry.core.sentences import end_sentence
from registry.templates.models import Version

__all__ = ["SEVERAL_PROMPTS", "find_misfit", "render_rows", "require_some_row_fits"]

SEVERAL_PROMPTS = "PT802"  # the row makes several prompts, which isn't an error
_BATCH = 20  # rows per child; usually the first one fits


def require_some_row_fits(rows: Sequence[Row], version: Version, source: str) -> None:
    """Raise Invalid for the field `dataset` if the version can't render any row. It names the first row, and the input
    that the rows lack or the limit that they exceed. source: what the message calls the rows.
    """
    first = find_misfit(rows, version.unpacked())
    if first is not None:
        name = f"row 1 ({rows[0].id})" if rows[0].id else "row 1"
        place = f" at `{first.path}`" if isinstance(first, InputError) and first.path else ""
        sentence = gettext("no row of {source} fits v{number}. In {name}{place}: {message}").format(
            source=source, number=version.number, name=name, place=place, message=first.message
        )
        raise Invalid(fields={"dataset": end_sentence(sentence)})


def find_misfit(rows: Sequence[Row], bundle: Mapping[str, Any]) -> RenderError | None:
    """The error of the first row if no row can be rendered; None if any can, or without rows."""
    first: RenderError | None = None
    for start in range(0, len(rows), _BATCH):
        outcomes = render_rows(bundle, rows[start : start + _BATCH])
        for outcome in outcomes:
            if not isinstance(outcome, RenderError) or outcome.code == SEVERAL_PROMPTS:
                return None
            first = first or outcome
    return first


def render_rows(bundle: Mapping[str, Any], rows: Sequence[Row]) -> list[Any]:
    """Each row's prompt, or the RenderError that stopped it."""
    samples = {str(index): row.inputs for index, row in enumerate(rows)}
    try:
        with borrow_renderer() as bounded:
            outcomes = bounded.render_samples(bundle["document"], samples, **list_sources(bundle))
    except RenderError as error:  # the document itself fails, or one row uses up all the time
        return [error] if len(rows) == 1 else [outcome for row in rows for outcome in render_rows(bundle, [row])]
    return [outcomes[name] for name in samples]
