"""Improvements in each state for tables of access, asked of the echo model, which itself proposes nothing."""

import json
from functools import partial

from registry.accounts.actor import Actor
from registry.evaluations import datasets, run_worker, start_runs
from registry.evaluations.models import Run
from registry.improvements import services
from registry.improvements.models import Improvement
from registry.starter import starter_documents
from registry.templates import document_check
from registry.templates import save as template_save

__all__ = ["ASKING", "write_improvements"]

ASKING = "support/improve@1"
_HARD = "support/refunds/hard"


def write_improvements(author: Actor, template: str, document: str) -> dict[str, int]:
    """Return the number of a run whose rows all fail (`failing`), and of its improvements by state: `asked`,
    `measured`, `unwanted` (measured too). document: the text that the measured ones propose.
    """
    starter = starter_documents.read_document("suggest-improvement")
    template_save.save_version(actor=author, name=ASKING.partition("@")[0], document=starter, message="")
    rows = [{"inputs": {"question": f"Boot {n}?"}, "expected": "Something else"} for n in range(4)]
    datasets.save_dataset(actor=author, name=_HARD, text="".join(json.dumps(row) + "\n" for row in rows))
    start = partial(start_runs.start_run, actor=author, template=template, ref="1", dataset=_HARD)
    failing = start()
    run_worker.advance_run(failing.pk)
    numbers = {"failing": failing.pk}
    ask = partial(services.start_improvement, actor=author, run=failing.pk, model="echo", prompt=ASKING)
    for name in ("measured", "unwanted", "asked"):
        improvement = ask()
        numbers[name] = improvement.number
        if name != "asked":
            _measure(author, improvement, start().pk, document)
    return numbers


def _measure(author: Actor, improvement: Improvement, run: int, document: str) -> None:
    """Make a run the measurement of a proposal, as the worker would have."""
    bundle = document_check.check_document(author, document).bundle
    run_worker.advance_run(run)
    Run.objects.filter(pk=run).update(is_draft=True, draft_bundle=bundle)
    Improvement.objects.filter(pk=improvement.pk).update(
        state=Improvement.MEASURING, measurement=run, document=document, bundle=bundle, explanation="It says more."
    )
