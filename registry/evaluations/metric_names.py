"""Names of metrics as people give them."""

from collections.abc import Sequence

from promptuary.evaluation import EvaluationError
from promptuary.evaluation.metrics import catalogue
from registry.core.errors import Invalid

__all__ = ["check_metrics"]


def check_metrics(names: Sequence[str]) -> list[str]:
    """The names, each once, when all are metrics. Invalid names those that there are."""
    try:
        return [catalogue.find(name).metric.value for name in dict.fromkeys(names)]
    except EvaluationError as error:
        raise Invalid(fields={"metrics": f"{error}."}) from error
