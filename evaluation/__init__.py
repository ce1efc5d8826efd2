"""Evaluation: run a template or a chain over rows, score what came, compare two runs. Imports the renderer only."""

from evaluation.errors import (
    ChainError,
    DatasetError,
    EvaluationError,
    MetricError,
    MetricUnavailable,
    ModelError,
)
from evaluation.metrics.catalogue import Metric, metrics_for
from evaluation.scoring import Score, score

__all__ = [
    "ChainError",
    "DatasetError",
    "EvaluationError",
    "Metric",
    "MetricError",
    "MetricUnavailable",
    "ModelError",
    "Score",
    "metrics_for",
    "score",
]
