"""The form of an evaluation that change requests have to pass: its scope, its rows, and its thresholds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext

from promptuary.evaluation.gates import parse_gate
from promptuary.evaluation.metrics import catalogue
from registry.evaluations.judge_calls import PATHS
from registry.evaluations.models import SCORES_NEEDED, Attachment
from registry.evaluations.person_score_queries import PEOPLE_METRIC

__all__ = ["EvaluationForm", "GateRow", "list_gate_metrics", "list_gate_rows", "read_gate_rows"]

FLOOR, FALL = "floor", "fall"
_FREE_ROWS = 2  # below the filled rows
_MAX_ROWS = 20


@dataclass(frozen=True)
class GateRow:
    """One threshold as typed. metric: with its output in brackets if it has one. kind: floor or fall."""

    metric: str = ""
    kind: str = FLOOR
    bound: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was chosen or typed."""
        return not self.metric and not self.bound

    @property
    def text(self) -> str:
        """The threshold as the service expects it."""
        return f"{self.metric} {'-' if self.kind == FALL else '>='} {self._number}"

    @property
    def problem(self) -> str:
        """What is missing or wrong in the row; empty if it is valid."""
        if self.is_empty:
            return ""
        if not self.metric:
            return gettext("Choose a metric for this threshold.")
        try:
            is_number = math.isfinite(float(self._number))
        except ValueError:
            is_number = False
        return "" if is_number else gettext("Write a number, such as 0.8.")

    @property
    def _number(self) -> str:
        """The bound with a decimal point: some languages use a comma."""
        return self.bound.replace(",", ".")


class EvaluationForm(forms.Form):
    """An evaluation of a namespace. dataset_version: empty for the latest."""

    name = forms.CharField(max_length=64)
    pattern = forms.CharField(max_length=200)
    dataset = forms.ChoiceField()
    dataset_version = forms.IntegerField(min_value=1, max_value=9_999_999, required=False)
    model = forms.ChoiceField()
    scores_needed = forms.IntegerField(min_value=1, initial=SCORES_NEEDED)
    nightly = forms.BooleanField(required=False)
    judge = forms.ChoiceField(required=False)
    judge_model = forms.ChoiceField(required=False)
    judge_documents = forms.CharField(max_length=200, required=False, initial=PATHS["documents"])
    judge_question = forms.CharField(max_length=200, required=False, initial=PATHS["question"])

    def __init__(
        self,
        *args: Any,
        datasets: Sequence[str],
        models: Sequence[str],
        judges: Sequence[tuple[str, str]],
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        model_choices = [(choice, choice) for choice in models]
        choices = {"dataset": [(choice, choice) for choice in datasets], "model": model_choices}
        choices |= {"judge": list(judges), "judge_model": model_choices}
        for name, names in choices.items():
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = names

    @property
    def evaluation(self) -> dict[str, Any]:
        """Arguments of the service from a valid form, except thresholds and metrics."""
        data = dict(self.cleaned_data)
        paths = {name: data.pop(f"judge_{name}").strip() for name in ("documents", "question")}
        if not data["judge"]:
            return {**data, "judge": None, "judge_model": None}
        return {**data, "judge_paths": {name: path for name, path in paths.items() if path not in ("", PATHS[name])}}


def list_gate_rows(attachment: Attachment | None, metric: str = "") -> list[GateRow]:
    """The thresholds of an evaluation as rows, with empty ones below. metric: prefilled in a new row."""
    rows = []
    for gate in map(parse_gate, attachment.gates if attachment else ()):
        name = f"{gate.metric}[{gate.output}]" if gate.output else gate.metric
        kind, bound = (FLOOR, gate.floor) if gate.floor is not None else (FALL, gate.fall)
        rows.append(GateRow(name, kind, f"{bound:g}"))
    if metric in catalogue.list_names():
        rows.append(GateRow(metric, FALL))
    return _add_free_rows(rows)


def read_gate_rows(posted: QueryDict) -> list[GateRow]:
    """The posted rows that aren't empty, with empty ones below."""
    columns = (posted.getlist(name)[:_MAX_ROWS] for name in ("metric", "kind", "bound"))
    rows = [GateRow(metric, kind, bound.strip()) for metric, kind, bound in zip(*columns, strict=False)]
    return _add_free_rows([row for row in rows if not row.is_empty])


def list_gate_metrics(rows: Sequence[GateRow]) -> list[str]:
    """The metrics that a threshold can use, and those that the rows use with an output."""
    names = {*catalogue.list_names(), PEOPLE_METRIC}
    return [*sorted(names), *sorted({row.metric for row in rows if row.metric} - names)]


def _add_free_rows(rows: list[GateRow]) -> list[GateRow]:
    return [*rows, *[GateRow()] * max(_FREE_ROWS, 3 - len(rows))][: max(_MAX_ROWS, len(rows))]
