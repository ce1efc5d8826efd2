"""Evaluations of change requests whose rows are judged: thresholds on the judge's scores, runs and refusals."""

import json
from typing import Any

import pytest

from registry.changes import check_results, gate
from registry.changes import services as change_services
from registry.core.errors import Invalid
from registry.evaluations import attachment_queries, attachments, datasets, nightly_runs, run_worker, start_runs
from registry.evaluations.models import Attachment, Run
from registry.templates import save as template_save
from tests.support.instances import ROOT

NAME, DATASET, JUDGE = "support/judged", "support/questions", "support/judge"
STARTER = ROOT / "registry/starter/demo/judge-answer-support.yml.j2"
ROW = {"inputs": {"excerpts": ["It opened in 1932."], "question": "When?"}}
DOCUMENT = """---
inputs:
  excerpts: {type: array, items: {type: string}}
  question: {type: string}
---
- name: answer
  content: It opened in 1932.
"""
# The model `echo` repeats its prompt, so a judge whose text contains the reply returns it.
VERDICT = {
    "answer": "In 1932.",
    "all_relevant_sentence_keys": ["0a"],
    "overall_supported": True,
    "sentence_support_information": [
        {"response_sentence_key": "a", "supporting_sentence_keys": ["0a"], "fully_supported": True}
    ],
    "all_utilized_sentence_keys": ["0a"],
}


def judge_document(verdict):
    inputs = "{documents: {type: array, items: {type: string}}, question: {type: string}, response: {type: string}}"
    said = json.dumps(verdict)
    shown = "{# {{ documents }} {{ question }} {{ response }} #}"
    return f"---\nformat: text\ninputs: {inputs}\n---\n{{% raw %}}{said}{{% endraw %}}{shown}"


@pytest.fixture
def judged(author, admin):
    """A judge that supports everything, a dataset, and how to attach an evaluation that it judges."""
    template_save.save_version(actor=author, name=JUDGE, document=judge_document(VERDICT), message="")
    datasets.save_dataset(actor=author, name=DATASET, text=json.dumps(ROW) + "\n")

    def attach(**changes):
        fields: dict[str, Any] = {"pattern": "judged", "dataset": DATASET, "model": "echo"}
        fields |= {"gates": ["faithfulness >= 0.9"], "judge": f"{JUDGE}@latest", "judge_model": "echo"}
        fields["judge_paths"] = {"documents": "inputs.excerpts"}
        return attachments.attach_evaluation(actor=admin, namespace="support", name="support", **{**fields, **changes})

    return attach


def propose(author, document=DOCUMENT):
    version = template_save.save_version(actor=author, name=NAME, document=document, message="").version
    return change_services.propose_change(
        actor=author, name=NAME, label="production", version=version.number, message=""
    )


def work(change):
    check_results.run_checks(number=change.number)
    for run in Run.objects.filter(state="queued"):
        while run_worker.advance_run(run.pk):
            pass
    check_results.run_checks(number=change.number)
    return next(state for state in gate.evaluate(change, None).checks if state.name == "evaluation")


def test_a_threshold_on_a_judges_score_passes_a_change(author, judged):
    judged()
    verdict = work(propose(author))
    assert verdict.outcome == "passed", verdict.summary
    run = Run.objects.get()
    assert (run.judge.template.name, run.judge.number, run.metrics) == (JUDGE, 1, [])
    assert run.scores["faithfulness"]["judgement"]["score"] == 1.0


def test_a_judge_that_supports_nothing_fails_it(author, judged):
    nothing = {**VERDICT, "sentence_support_information": [
        {"response_sentence_key": "a", "supporting_sentence_keys": [], "fully_supported": False}
    ]}  # fmt: skip
    template_save.save_version(actor=author, name="support/stern", document=judge_document(nothing), message="")
    judged(judge="support/stern@1")
    verdict = work(propose(author))
    assert verdict.outcome == "failed"
    assert "faithfulness >= 0.9" in verdict.summary


def test_the_judges_version_stays_when_the_judge_changes(author, judged):
    judged()
    first = Attachment.objects.get().judge
    template_save.save_version(actor=author, name=JUDGE, document=judge_document({}), base=first.digest, message="")
    assert Attachment.objects.get().judge_address == f"{JUDGE}@1"
    assert work(propose(author)).outcome == "passed"


def test_a_run_without_the_judge_is_not_taken_for_one_with_it(author, judged):
    judged()
    change = propose(author)
    plain = start_runs.start_run(actor=author, template=NAME, ref="1", dataset=DATASET)
    work(change)
    judged_run = Run.objects.exclude(pk=plain.pk).get()
    assert judged_run.key != plain.key
    again = start_runs.start_run(
        actor=author, template=NAME, ref="1", dataset=DATASET, judge=f"{JUDGE}@1", judge_model="echo",
        judge_paths={"documents": "inputs.excerpts"},
    )  # fmt: skip
    assert again.key == judged_run.key


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"judge": None, "judge_model": None, "judge_paths": {}}, "judge"),
        ({"judge": None}, "judge"),
        ({"judge_model": None}, "judge_model"),
        ({"judge_paths": {"reply": "actual.answer"}}, "judge_paths"),
        ({"judge": "support/plain@1"}, "judge"),
    ],
)
def test_an_unsuitable_judge_is_refused_with_its_field(author, judged, changes, field):
    plain = "---\ninputs: {q: {type: string}}\n---\n- name: a\n  content: '{{ q }}'\n"
    template_save.save_version(actor=author, name="support/plain", document=plain, message="")
    with pytest.raises(Invalid) as caught:
        judged(**changes)
    assert field in caught.value.fields
    assert not Attachment.objects.exists()


def test_a_judge_alone_is_measured_every_night(author, judged, publish):
    version = template_save.save_version(actor=author, name=NAME, document=DOCUMENT, message="").version
    publish(version)
    attachment = judged(gates=["trace_relevance >= 0.1"], nightly=True)
    plan = attachment_queries.list_plans_of_template(version.template)[0]
    assert (plan.run_metrics, plan.is_computed, attachment.judge_model) == ([], True, "echo")
    assert nightly_runs.start_nightly_runs(attachment.created_at) == 1
    assert Run.objects.get().judge is not None
