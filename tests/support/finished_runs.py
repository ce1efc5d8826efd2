"""Setup for tests of the evaluation pages: a dataset, and runs that the echo model finishes immediately."""

import json
from typing import Any

from registry.evaluations import attachments, datasets, run_worker, start_runs
from registry.evaluations.dataset_models import DatasetVersion
from registry.evaluations.models import Run
from tests.frontend.conftest import OTHER, REPLY, Desk

GOLD = "support/refunds/gold"
WORSE = OTHER.replace("    {{ question }}", "    {{ question }} and more words than that")


def dataset_rows(count: int = 6, **changes: str) -> str:
    """JSON lines whose expected answer is the question itself, which the echo model repeats."""
    lines = []
    for n in range(count):
        name, question = f"case-{n}", f"Boot {n}?"
        line = {"id": name, "inputs": {"question": question}, "expected": changes.get(name, question)}
        lines.append(json.dumps(line) + "\n")
    return "".join(lines)


def save_rows(desk: Desk, text: str | None = None, base: str | None = None, message: str = "") -> DatasetVersion:
    """Save the rows as the next version of the dataset."""
    saved = datasets.save_dataset(
        actor=desk.actor("author"), name=GOLD, text=text or dataset_rows(), base=base, message=message
    )
    return saved.version


def attach_gates(desk: Desk, *gates: str, pattern: str = "*", nightly: bool = False) -> None:
    """Attach an evaluation `answers` of the dataset by the echo model with these thresholds."""
    attachments.attach_evaluation(
        actor=desk.actor("admin"),
        namespace="support",
        name="answers",
        pattern=pattern,
        dataset=GOLD,
        model="echo",
        gates=list(gates),
        nightly=nightly,
    )


def start_run(desk: Desk, ref: str = "1", *, finish: bool = True, **options: Any) -> Run:
    """Start a run over the dataset, and finish it unless told otherwise."""
    fields = {"template": REPLY, "ref": ref, "dataset": GOLD, **options}
    run = start_runs.start_run(actor=desk.actor("author"), **fields)
    while finish and run_worker.advance_run(run.pk, seconds=5):
        pass
    run.refresh_from_db()
    return run
