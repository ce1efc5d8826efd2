"""Setup for tests of improvements: a template, a dataset, a model, and a finished run whose rows fail."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from registry.accounts.actor import Actor
from registry.connections import services as connection_services
from registry.evaluations import datasets, run_worker, start_runs
from registry.evaluations.models import Run
from registry.improvements import queries, services, worker
from registry.improvements.models import Improvement
from registry.starter.starter_documents import read_document
from registry.templates import save as template_save
from registry.templates.models import Template
from tests.support.improving_model_server import ImprovingModelServer

__all__ = [
    "BETTER",
    "DATASET",
    "DOCUMENT",
    "NAME",
    "PROMPT",
    "ROWS",
    "Desk",
    "finish",
    "open_desk",
    "set_cap",
    "start_run",
    "write_rows",
]

DATASET, NAME, PROMPT = "support/questions", "support/reply", "support/improve@latest"
DOCUMENT = """---
description: Answer a question
settings: {temperature: 0}
inputs:
  question: {type: string, maxLength: 500, untrusted: true}
---
- name: instructions
  role: system
  content: |
    Answer the question.
- name: question
  content: |
    {{ question }}
"""
BETTER = DOCUMENT.replace("Answer the question.", "Answer the question in one word.")
ROWS = 24


def write_rows(count: int = ROWS, **questions: str) -> str:
    """Rows that expect `answer 3` for `Question 3?`; questions: other questions by row name."""
    rows = (
        {
            "id": f"r{n}",
            "inputs": {"question": questions.get(f"r{n}", f"Question {n}?")},
            "expected": {"answer": f"answer {n}"},
        }
        for n in range(count)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


@dataclass
class Desk:
    """A model server, a finished run, and the person who requests improvements of it."""

    author: Actor
    server: ImprovingModelServer
    run: Run

    def start(self, **options: Any) -> Improvement:
        """Start an improvement that no worker has picked up yet."""
        arguments = {"run": self.run.number, "model": "helper", "prompt": PROMPT, **options}
        return services.start_improvement(actor=self.author, **arguments)

    def ask(self, improvement: Improvement) -> Improvement:
        """Run the worker's steps until the model is no longer called."""
        while worker.advance_improvement(improvement.number):
            pass
        return queries.find_own_improvement(self.author, improvement.number)

    def measure(self, improvement: Improvement) -> Improvement:
        """Run the worker's steps until the improvement is finished."""
        improvement = self.ask(improvement)
        while improvement.measurement and run_worker.advance_run(improvement.measurement.pk):
            pass
        return queries.find_own_improvement(self.author, improvement.number)


def finish(run: Run) -> Run:
    """Run the worker's steps until the run is finished."""
    while run_worker.advance_run(run.pk):
        pass
    run.refresh_from_db()
    return run


def start_run(author: Actor, **options: Any) -> Run:
    """Make a finished run of the template over the dataset."""
    arguments = {"template": NAME, "dataset": DATASET, "model": "helper", **options}
    return finish(start_runs.start_run(actor=author, **arguments))


@contextmanager
def open_desk(
    author: Actor,
    models_path: Path,
    *proposals: str | int | None,
    document: str = DOCUMENT,
    rows: str = "",
    **options: Any,
) -> Iterator[Desk]:
    """Open a desk whose model, a running `ImprovingModelServer`, makes these proposals."""
    server = ImprovingModelServer(*proposals, **options)
    with server:
        models_path.write_text(
            f"helper: {{base_url: '{server.url}', price: {{prompt: 1, completion: 2}}, attempts: 1}}\n"
        )
        for name, text in ((NAME, document), ("support/improve", read_document("suggest-improvement"))):
            if not Template.objects.filter(name=name).exists():
                template_save.save_version(actor=author, name=name, document=text, message="")
        datasets.save_dataset(actor=author, name=DATASET, text=rows or write_rows())
        yield Desk(author, server, start_run(author))


def set_cap(admin: Actor, amount: str) -> None:
    """Set the most that a person may spend in the namespace in a day."""
    connection_services.set_caps(actor=admin, namespace="support", person_day=amount, namespace_month=None)
