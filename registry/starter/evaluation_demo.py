"""Evaluation part of the demo: a dataset, recorded replies, a threshold, and a change request that it measures."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from promptuary.evaluation.models import prompt_digest
from registry.accounts.actor import Actor
from registry.changes import check_results
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.renderer_pool import child
from registry.evaluations import attachments, datasets, run_worker
from registry.evaluations.models import Attachment, Dataset, Run
from registry.starter import evaluation_rows
from registry.templates import save as template_save
from registry.templates.models import Template, Version

__all__ = ["DATASET", "MODEL", "TEMPLATE", "load_evaluation_demo"]

TEMPLATE = "support/questions/lighthouse"
DATASET = "support/questions/lighthouses"
MODEL = "recorded-answers"
_ORIGIN = Path(__file__).parent / "demo/question-answering.yml.j2"
_CLOSE = "Answer:"
_SHORT = "Answer in as few words as you can:"
_METRICS = ["squad_f1", "squad_exact_match", "contains"]


class _Asked:
    """A prompt as the bounded child rendered it."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.messages = messages


def load_evaluation_demo(admin: Actor, author: Actor, reviewer: Actor, say: Callable[[str], None]) -> None:
    """Make what is not there yet; a load that stopped halfway is gone on with."""
    say("support/questions: 200 rows, recorded replies, two runs")
    rows = list(evaluation_rows.make_evaluation_rows())
    first = _save(author, 1, _ORIGIN.read_text(encoding="utf-8"), "Answer from the passages")
    _publish(author, reviewer)
    if not Dataset.objects.filter(name=DATASET).exists():
        text = "".join(json.dumps(row) + "\n" for row in rows)
        datasets.save_dataset(actor=author, name=DATASET, text=text, message="Forty lighthouses", template=TEMPLATE)
    second = _save(author, 2, first.document.replace(_CLOSE, _SHORT), "Ask for few words")
    _record(rows, first, second)
    if not Attachment.objects.filter(namespace__name="support").exists():
        attachments.attach_evaluation(
            actor=admin,
            namespace="support",
            name="lighthouses",
            pattern="questions/*",
            dataset=DATASET,
            model=MODEL,
            gates=["squad_f1 - 0.02", "squad_f1 >= 0.5"],
            metrics=_METRICS,
        )
    _propose(author)


def _save(author: Actor, number: int, document: str, message: str) -> Version:
    template = Template.objects.filter(name=TEMPLATE).select_related("latest").first()
    latest = template.latest if template else None
    if template is not None and latest is not None and latest.number >= number:
        return template.versions.get(number=number)
    origin = "demo/question-answering@1" if latest is None else None
    base = latest.digest if latest else None
    result = template_save.save_version(
        actor=author, name=TEMPLATE, document=document, message=message, base=base, copied_from=origin
    )
    return result.version


def _publish(author: Actor, reviewer: Actor) -> None:
    change = ChangeRequest.objects.filter(template__name=TEMPLATE, version__number=1).first()
    if change is None:
        change = change_services.propose_change(
            actor=author, name=TEMPLATE, label="production", version=1, message="Answer from the passages"
        )
    check_results.run_checks(number=change.number)  # as the worker would; the checks must pass before the label moves
    if change.state == ChangeRequest.OPEN:
        digest = change.version.digest
        change_services.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=digest)
    if change.state != ChangeRequest.PUBLISHED:
        change_services.publish_change(actor=reviewer, number=change.number)


def _propose(author: Actor) -> None:
    """Propose the second version, and do what the worker would: its runs, then its checks."""
    change = ChangeRequest.objects.filter(template__name=TEMPLATE, version__number=2).first()
    if change is None:
        message = "Shorter answers: the shop's own chat shows them in a bubble"
        change = change_services.propose_change(
            actor=author, name=TEMPLATE, label="production", version=2, message=message
        )
    check_results.run_checks(number=change.number)
    for run in Run.objects.filter(change=change, state__in=(Run.QUEUED, Run.RUNNING)).order_by("pk"):
        while run_worker.advance_run(run.pk):
            pass
    check_results.run_checks(number=change.number)


def _record(rows: Iterable[Mapping[str, Any]], first: Version, second: Version) -> None:
    """Write what a model might say to each prompt, and list it as a model, where the operator lists none."""
    path = Path(settings.MODELS_PATH)
    if path.exists():
        return
    row_list = list(rows)
    lines = [*_replies(first, row_list, _wordy), *_replies(second, row_list, _terse)]
    path.with_name("recorded-answers.jsonl").write_text("".join(lines), encoding="utf-8")
    path.write_text(f"{MODEL}: {{replies: recorded-answers.jsonl}}\n", encoding="utf-8")


def _replies(version: Version, rows: Iterable[Mapping[str, Any]], answer: Callable[[int, str], str]) -> Iterable[str]:
    bundle = version.unpacked()
    expected = {row["id"]: str(row["expected"]["answer"]) for row in rows}
    inputs = {row["id"]: row["inputs"] for row in rows}
    with child() as bounded:
        outcomes = bounded.render_samples(
            bundle["document"], inputs, fragments=bundle["fragments"], profile=bundle["profile"]
        )
    for index, (name, prompt) in enumerate(outcomes.items()):
        if isinstance(prompt, dict):
            reply = answer(index, expected[name])
            yield json.dumps({"prompt": prompt_digest(_Asked(prompt["messages"])), "reply": reply}) + "\n"


def _wordy(index: int, answer: str) -> str:
    if index % 17 == 3:
        return "The passages don't say this clearly, so I can't be certain."
    return f"According to the passages, the answer to your question is {answer}."


def _terse(index: int, answer: str) -> str:
    if index % 19 == 5:
        return "I don't know"
    return f"about {answer}" if index % 11 == 7 else answer.capitalize()
