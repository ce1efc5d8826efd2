"""The query of the matrix page: its runs, filters and order."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

__all__ = ["MatrixChoice", "read_choice", "read_number"]

_DEFAULTS = (None, "", (), "all", "rows")


@dataclass(frozen=True)
class MatrixChoice:
    """Runs, filters and order. baseline: the number of the run that the others are compared with, None for the first;
    reason: the key of the reason that rows failed for, or empty; tag: of the rows, or empty; column: the number of the
    run that a narrow page shows, None for the first after the baseline.
    """

    number: int
    others: tuple[int, ...]
    only: str
    metric: str
    order: str
    baseline: int | None
    reason: str
    tag: str
    column: int | None

    def url(self, **changes: Any) -> str:
        """The URL of the page with some values changed; None omits a value."""
        query = urlencode(self._list_values(**changes), doseq=True)
        return f"{reverse('run-matrix', args=[self.number])}?{query}"

    @property
    def fields_beside_column(self) -> list[tuple[str, Any]]:
        """Names and values for a form that changes only the column."""
        fields: list[tuple[str, Any]] = []
        for name, value in self._list_values(column=None).items():
            fields += [(name, one) for one in value] if isinstance(value, tuple) else [(name, value)]
        return fields

    def _list_values(self, **changes: Any) -> dict[str, Any]:
        values: dict[str, Any] = {
            "with": self.others,
            "baseline": self.baseline,
            "only": self.only,
            "reason": self.reason,
            "tag": self.tag,
            "column": self.column,
            "by": self.metric,
            "order": self.order,
        }
        values |= changes
        return {name: value for name, value in values.items() if value not in _DEFAULTS}

    @property
    def stop_url(self) -> str:
        """The URL that stops the active runs."""
        address = self.url()
        return address.replace(reverse("run-matrix", args=[self.number]), reverse("stop-runs", args=[self.number]))

    def without_run(self, number: int) -> str:
        """The URL of the page without one of the other runs; if that was the baseline, the first run is again."""
        others = tuple(other for other in self.others if other != number)
        baseline = None if self.baseline == number else self.baseline
        return self.url(**{"with": others, "baseline": baseline, "column": None})


def read_choice(request: HttpRequest, number: int) -> MatrixChoice:
    """Parse the query and omit default values. The database query checks whether names exist."""
    others = [other for text in request.GET.getlist("with") if (other := read_number(text)) and other != number]
    baseline = read_number(request.GET.get("baseline"))
    return MatrixChoice(
        number,
        tuple(dict.fromkeys(others)),
        request.GET.get("only") or "all",
        request.GET.get("by", ""),
        request.GET.get("order") or "rows",
        None if baseline == number else baseline,
        request.GET.get("reason", ""),
        request.GET.get("tag", ""),
        read_number(request.GET.get("column")),
    )


def read_number(text: str | None) -> int | None:
    """Parse a whole number of a URL; None if it isn't one."""
    return int(text) if text and text.isdecimal() and len(text) < 19 else None
