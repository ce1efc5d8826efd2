"""Evaluation part of the demo: two changes in review that datasets measure; one passes its gate, one fails it."""

# no texts here: replies of a model

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from promptuary.evaluation.models import prompt_digest
from promptuary.renderer.syntax.yaml_reader import compose, read_value
from registry.accounts.actor import Actor
from registry.changes import check_results
from registry.core.renderer_pool import borrow_renderer
from registry.evaluations import attachments, datasets, nightly_runs, run_worker
from registry.evaluations.dataset_models import Dataset
from registry.evaluations.models import Attachment, Run
from registry.starter import demo_connection, evaluation_rows
from registry.starter.demo_connection import RECORDED_MODEL
from registry.starter.versions import propose_once, publish_once, save_once
from registry.templates.models import Version

__all__ = ["FAILING", "PASSING", "load_evaluation_demo"]

_FOLDER = Path(__file__).parent
_CLOSE = "Answer:"
_NIGHTS = 3
_SHORT = "Answer in as few words as you can:"

Row = Mapping[str, Any]
Answer = Callable[[int, str], str]  # the number of a row and what it expects, to what the model says


def _answer_at_length(index: int, expected: str) -> str:
    if index % 17 == 3:
        return "The terms don't say this clearly, so I can't be certain."
    return f"According to our terms, the answer to your question is {expected}."


def _answer_shortly(index: int, expected: str) -> str:
    if index % 19 == 5:
        return "I don't know"
    return f"about {expected}" if index % 11 == 7 else expected.capitalize()


def _decide_strictly(index: int, expected: str) -> str:
    return "exchange" if index == 14 else expected


def _decide_kindly(index: int, expected: str) -> str:
    return "refund" if expected == "refuse" and index % 8 == 3 else _decide_strictly(index, expected)


@dataclass(frozen=True, slots=True)
class MeasuredChange:
    """A template whose second version waits for review, and what measures it."""

    template: str
    documents: tuple[str, str]
    messages: tuple[str, str]
    proposal: str
    dataset: str
    dataset_message: str
    rows: tuple[Row, ...]
    answers: tuple[Answer, Answer]
    attachment: str
    gates: tuple[str, ...]
    metrics: tuple[str, ...]
    copied_from: str | None = None
    samples: str = ""
    is_nightly: bool = False


def _read(path: str) -> str:
    return (_FOLDER / path).read_text(encoding="utf-8")


_QUESTIONS = _read("demo/question-answering.yml.j2")
PASSING = MeasuredChange(
    template="support/refunds/answer",
    documents=(_QUESTIONS, _QUESTIONS.replace(_CLOSE, _SHORT)),
    messages=("Answer from the terms", "Ask for few words"),
    proposal="Shorter answers: the shop's own chat shows them in a bubble",
    dataset="support/refunds/questions",
    dataset_message="Five questions about each of forty articles",
    rows=tuple(evaluation_rows.make_evaluation_rows()),
    answers=(_answer_at_length, _answer_shortly),
    attachment="refund-questions",
    gates=("squad_f1 - 0.02", "squad_f1 >= 0.5"),
    metrics=("squad_f1", "squad_exact_match", "contains"),
    copied_from="demo/question-answering@1",
)
FAILING = MeasuredChange(
    template="support/refunds/decision",
    documents=(_read("support/refunds/decision.v1.yml.j2"), _read("support/refunds/decision.v2.yml.j2")),
    messages=("Decide from the policy", "Leave the rule on receipts to the policy"),
    proposal="One rule less: the policy speaks of the receipt already",
    dataset="support/refunds/requests",
    dataset_message="Forty requests and what the shop decided",
    rows=tuple(evaluation_rows.make_decision_rows()),
    answers=(_decide_strictly, _decide_kindly),
    attachment="refund-decisions",
    gates=("squad_exact_match - 0.02", "squad_exact_match >= 0.95"),
    metrics=("squad_exact_match",),
    samples=_read("support/refunds/decision.samples.yml"),
    is_nightly=True,
)


def load_evaluation_demo(admin: Actor, author: Actor, reviewer: Actor, say: Callable[[str], None]) -> None:
    """Create what is missing, so that an interrupted load is continued."""
    versions = []
    for change in (PASSING, FAILING):
        say(f"{change.template}: {len(change.rows)} rows, recorded replies, two runs")
        versions.append(_save_versions(author, reviewer, change))
    _record(versions)
    for change in (PASSING, FAILING):
        if not Attachment.objects.filter(namespace__name="support", name=change.attachment).exists():
            attachments.attach_evaluation(
                actor=admin,
                namespace="support",
                name=change.attachment,
                pattern=change.template.removeprefix("support/"),
                dataset=change.dataset,
                model=RECORDED_MODEL,
                gates=change.gates,
                metrics=change.metrics,
                nightly=change.is_nightly,
            )
        _propose(author, change)
    _start_nights()


def _start_nights() -> None:
    """Queue runs of the last nights for the worker, so that a new installation shows figures over time."""
    if not Run.objects.exclude(night=None).exists():
        for days in reversed(range(_NIGHTS)):
            nightly_runs.start_nightly_runs(timezone.now() - timedelta(days=days))


def _save_versions(author: Actor, reviewer: Actor, change: MeasuredChange) -> tuple[MeasuredChange, Version, Version]:
    """Save the first version and publish it, then the dataset and the second version."""
    first = _save(author, change, 1)
    publish_once(author, reviewer, change.template, 1, change.messages[0])
    if not Dataset.objects.filter(name=change.dataset).exists():
        text = "".join(json.dumps(row) + "\n" for row in change.rows)
        datasets.save_dataset(
            actor=author, name=change.dataset, text=text, message=change.dataset_message, template=change.template
        )
    return change, first, _save(author, change, 2)


def _save(author: Actor, change: MeasuredChange, number: int) -> Version:
    return save_once(
        author,
        change.template,
        number,
        change.documents[number - 1],
        change.messages[number - 1],
        samples=read_value(compose(change.samples)) if change.samples else None,
        copied_from=change.copied_from,
    )


def _propose(author: Actor, measured: MeasuredChange) -> None:
    """Propose the second version, and do what the worker would: its runs, then its checks."""
    change = propose_once(author, measured.template, 2, measured.proposal)
    for run in Run.objects.filter(change=change, state__in=(Run.QUEUED, Run.RUNNING)).order_by("pk"):
        while run_worker.advance_run(run.pk):
            pass
    check_results.run_checks(number=change.number)


def _record(changes: Iterable[tuple[MeasuredChange, Version, Version]]) -> None:
    """Have a model say what one might say to each prompt."""
    demo_connection.list_recorded_model(
        line
        for change, *versions in changes
        for version, answer in zip(versions, change.answers, strict=True)
        for line in _list_replies(version, change.rows, answer)
    )


class _Asked:
    """A prompt as the bounded child rendered it."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.messages = messages


def _list_replies(version: Version, rows: Iterable[Row], answer: Answer) -> Iterable[str]:
    bundle = version.unpacked()
    expected = {row["id"]: str(row["expected"]["answer"]) for row in rows}
    inputs = {row["id"]: row["inputs"] for row in rows}
    with borrow_renderer() as bounded:
        outcomes = bounded.render_samples(
            bundle["document"], inputs, fragments=bundle["fragments"], profile=bundle["profile"]
        )
    for index, (name, prompt) in enumerate(outcomes.items()):
        if isinstance(prompt, dict):
            reply = answer(index, expected[name])
            yield json.dumps({"prompt": prompt_digest(_Asked(prompt["messages"])), "reply": reply}) + "\n"
