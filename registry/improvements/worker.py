"""The worker's part of an improvement: one model call at a time, then the run that measures the proposal.

An unusable reply is sent back with its problems, at most twice. Each call is counted before it is sent: a killed worker
loses that reply, and the next one asks again within the same number of calls. A reply is stored before it is checked,
so that the next worker can check it if the renderer is busy or the worker is killed.
"""

# no texts here: reasons are stored

import json
from collections.abc import Mapping, Sequence

from django.db import transaction

from promptuary.evaluation import ModelError
from registry.accounts.actor import Actor
from registry.connections import queries as connection_queries
from registry.connections.endpoint import Endpoint
from registry.core.errors import Busy, Gone, Invalid, PromptuaryError
from registry.core.sentences import end_sentence
from registry.evaluations import row_fit, run_queries
from registry.evaluations.judge_choice import JudgeChoice
from registry.evaluations.models import Run
from registry.evaluations.start_runs import RowSource, create_run
from registry.improvements import model_asking, proposals, queries
from registry.improvements.failing_rows import list_failing_rows
from registry.improvements.models import NO_TEXTS, Improvement
from registry.improvements.proposals import Proposal, ProposalRefused
from registry.jobs import queue
from registry.journal import log
from registry.templates.document_check import CheckedDocument
from registry.templates.models import Redaction

__all__ = ["advance_improvement", "fail_improvement", "fail_lost_improvements"]

_MAX_NAMED_PROBLEMS = 3  # the most problems named in a failed improvement's sentence


def advance_improvement(number: int) -> bool:
    """Call the model once, then either start the run that measures its proposal or store the problems. An unchecked
    stored reply is checked instead. Return whether there is more to do.
    """
    improvement = _load(number)
    if improvement is None or not _begin(improvement):
        return False
    if improvement.calls >= queries.MAX_CALLS and not improvement.has_unchecked_reply:
        fail_improvement(number, _describe_failure(improvement.problems))
        return False
    actor = Actor(improvement.person)
    try:
        queries.find_improvable_run(actor, improvement.run.number)  # check rights and the run again
        measuring = queries.find_measuring_endpoint(improvement.run)
        inputs = _make_inputs(improvement)
        reply = improvement.reply if improvement.has_unchecked_reply else _ask(improvement, inputs)
        if not _may_continue(improvement):
            return False
        proposal = proposals.read_proposal(improvement.prompt.unpacked(), inputs, reply)
        checked = proposals.check_proposal(actor, improvement.run.version, proposal)
        _require_rows_fit(improvement.run, checked)
        _start_measurement(improvement, measuring, proposal, checked)
    except ProposalRefused as refused:
        return _keep_problems(improvement, refused.problems)
    except Busy:
        return True
    except ModelError as error:
        fail_improvement(number, f"The model gave no reply: {end_sentence(str(error))}")
    except PromptuaryError as error:
        fail_improvement(number, error.message)
    return False


def fail_improvement(number: int, sentence: str) -> None:
    """Fail an improvement that can't continue, with a sentence that says why."""
    rows = Improvement.objects.filter(pk=number, state__in=Improvement.BEFORE_MEASURING)
    rows.update(state=Improvement.FAILED, error=sentence[:2000], ended_at=log.now())


def fail_lost_improvements() -> int:
    """Fail improvements under way whose job was given up because their worker was lost too often. Return how many."""
    under_way = Improvement.objects.filter(state__in=Improvement.BEFORE_MEASURING).values_list("pk", flat=True)
    lost_numbers = queue.list_lost_numbers(queue.IMPROVEMENT, "improvement", list(under_way))
    for number in lost_numbers:
        fail_improvement(number, "The worker was lost too often while the model was asked. Ask again.")
    return len(lost_numbers)


def _load(number: int) -> Improvement | None:
    related = ("person", "run__template__namespace", "run__version__template__namespace", "prompt__template")
    return Improvement.objects.select_related(*related).filter(pk=number).first()


def _begin(improvement: Improvement) -> bool:
    rows = Improvement.objects.filter(pk=improvement.pk, state__in=Improvement.BEFORE_MEASURING)
    return bool(rows.update(state=Improvement.ASKING))


def _may_continue(improvement: Improvement) -> bool:
    """Whether it was not stopped meanwhile."""
    return Improvement.objects.filter(pk=improvement.pk, state=Improvement.ASKING).exists()


def _make_inputs(improvement: Improvement) -> dict[str, object]:
    """The inputs of the next call, with the last reply if it could not be used. A stored unchecked reply is parsed with
    the same inputs, without an earlier reply.
    """
    problems = improvement.problems
    shown_rows = list_failing_rows(improvement.run, improvement.shown_rows)
    earlier = improvement.reply if problems else ""
    return model_asking.make_inputs(improvement.run, shown_rows, improvement.guidance, earlier, problems)


def _ask(improvement: Improvement, inputs: Mapping[str, object]) -> str:
    """Get the model's reply and store it in the row. Raises Gone if the text was redacted during the call."""
    endpoint = _find_endpoint(improvement)
    asking = model_asking.render_asking(improvement.prompt, inputs)
    reply = model_asking.ask_model(improvement, endpoint, asking)
    with transaction.atomic():
        _require_unredacted(improvement)
        Improvement.objects.filter(pk=improvement.pk, state=Improvement.ASKING).update(
            reply=reply.text, problems_text=NO_TEXTS["problems_text"]
        )
    if reply.finish_reason == "length":
        raise ProposalRefused(["The reply was cut off before its end: answer in fewer words."])
    return reply.text


def _find_endpoint(improvement: Improvement) -> Endpoint:
    endpoint = connection_queries.find_endpoint(improvement.model, improvement.run.template.namespace.name)
    if endpoint.digest != improvement.model_digest:
        raise Invalid(fields={"model": f"{improvement.model} is not what it was when this was started."})
    return endpoint


def _require_unredacted(improvement: Improvement) -> None:
    """Raise Gone if the text or the asking template was redacted; a concurrent redaction waits until this transaction
    ends.
    """
    list(Improvement.objects.select_for_update().filter(pk=improvement.pk).values_list("pk"))
    if Redaction.objects.filter(version__in=[improvement.run.version_id, improvement.prompt_id]).exists():
        raise Gone("The text was removed while the model was asked.")


def _require_rows_fit(run: Run, checked: CheckedDocument) -> None:
    """Raise ProposalRefused if the proposed text can't render any row of the run."""
    misfit = row_fit.find_misfit(run_queries.list_rows_of_run(run), json.loads(checked.bundle))
    if misfit is not None:
        raise ProposalRefused([f"No row of the dataset can be rendered by the text: {end_sentence(misfit.message)}"])


def _start_measurement(
    improvement: Improvement, endpoint: Endpoint, proposal: Proposal, checked: CheckedDocument
) -> None:
    """Store the proposal and start the run over the same rows, with the same model, metrics and judge."""
    run = improvement.run
    judge = None
    if run.judge is not None:
        judge = JudgeChoice(run.judge, run.judge_model, run.judge_model_digest, run.judge_paths)
    rows = RowSource(run.rows_digest, run_queries.list_rows_of_run(run), dataset_version=run.dataset_version)
    key = run_queries.run_key(checked.digest, run.rows_digest, run.model_digest, judge.digest if judge else "")
    columns = {"key": key, "is_draft": True, "draft_bundle": checked.bundle}
    with transaction.atomic():
        _require_unredacted(improvement)
        if not _may_continue(improvement):
            return
        measurement = create_run(
            run.template, run.version, rows, endpoint, run.metrics, improvement.person, judge, columns
        )
        Improvement.objects.filter(pk=improvement.pk).update(
            state=Improvement.MEASURING,
            measurement=measurement,
            document=proposal.document,
            bundle=checked.bundle,
            explanation=proposal.explanation,
            input_changes_text=json.dumps(proposal.input_changes, ensure_ascii=False),
            problems_text="[]",
        )


def _keep_problems(improvement: Improvement, problems: Sequence[str]) -> bool:
    """Store why the reply can't be used. Return whether the model is called again."""
    rows = Improvement.objects.filter(pk=improvement.pk, state=Improvement.ASKING)
    if not rows.update(problems_text=json.dumps(list(problems), ensure_ascii=False)):
        return False
    if improvement.calls < queries.MAX_CALLS:
        return True
    fail_improvement(improvement.number, _describe_failure(problems))
    return False


def _describe_failure(problems: Sequence[str]) -> str:
    if not problems:
        return "The model was asked as often as it may be, and no reply was stored."
    faults = " ".join(problems[:_MAX_NAMED_PROBLEMS])
    return (
        f"No reply of the model could be used, after {queries.MAX_CALLS} calls. What was wrong with the last: {faults}"
    )
