"""Evaluation: runs templates or chains over rows, scores the answers and compares runs. Imports only the renderer."""

from promptuary.evaluation import datasets, reports
from promptuary.evaluation.chains import Chain
from promptuary.evaluation.comparison import Comparison, compare, compare_scores
from promptuary.evaluation.datasets import Dataset, Row
from promptuary.evaluation.errors import (
    ChainError,
    DatasetError,
    EvaluationError,
    MetricError,
    MetricUnavailable,
    ModelError,
    ReplyError,
)
from promptuary.evaluation.http_models import HTTPModel
from promptuary.evaluation.judge import Judge, Judgement, add_judgements, judge
from promptuary.evaluation.metrics.catalogue import Metric, metrics_for
from promptuary.evaluation.models import CachingModel, EchoModel, Model, RecordedModel, Reply, prompt_digest
from promptuary.evaluation.results import EvaluationResult, MetricsResult
from promptuary.evaluation.runnables import FunctionRunnable, Runnable, TemplateRunnable
from promptuary.evaluation.runner import run
from promptuary.evaluation.scoring import Score, score

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
    "add_judgements",
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
