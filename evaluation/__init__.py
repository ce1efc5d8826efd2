"""Evaluation: run a template or a chain over rows, score what came, compare two runs. Imports the renderer only."""

from evaluation import datasets, reports
from evaluation.chains import Chain
from evaluation.comparison import Comparison, compare, compare_scores
from evaluation.datasets import Dataset, Row
from evaluation.errors import (
    ChainError,
    DatasetError,
    EvaluationError,
    MetricError,
    MetricUnavailable,
    ModelError,
    ReplyError,
)
from evaluation.judge import Judge, Judgement, judge
from evaluation.metrics.catalogue import Metric, metrics_for
from evaluation.models import CachingModel, EchoModel, HTTPModel, Model, RecordedModel, Reply, prompt_digest
from evaluation.results import EvaluationResult, MetricsResult
from evaluation.runnables import FunctionRunnable, Runnable, TemplateRunnable
from evaluation.runner import run
from evaluation.scoring import Score, score

__all__ = [
    "CachingModel",
    "Chain",
    "ChainError",
    "Comparison",
    "Dataset",
    "DatasetError",
    "EchoModel",
    "EvaluationError",
    "EvaluationResult",
    "FunctionRunnable",
    "HTTPModel",
    "Judge",
    "Judgement",
    "Metric",
    "MetricError",
    "MetricUnavailable",
    "MetricsResult",
    "Model",
    "ModelError",
    "RecordedModel",
    "Reply",
    "ReplyError",
    "Row",
    "Runnable",
    "Score",
    "TemplateRunnable",
    "compare",
    "compare_scores",
    "datasets",
    "judge",
    "metrics_for",
    "prompt_digest",
    "reports",
    "run",
    "score",
]
