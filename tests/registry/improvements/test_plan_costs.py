"""The expected cost of an improvement, before any call."""

from functools import partial

import pytest

from registry.evaluations.models import Run
from registry.improvements import queries
from registry.templates import save as template_save
from tests.support.improvement_desk import BETTER, PROMPT, ROWS

JUDGE = """---
settings: {max_tokens: 100}
inputs: {documents: {type: array}, response: {type: string}}
---
- name: ask
  content: "Is {{ response }} in {{ documents }}?"
"""


@pytest.mark.django_db
def test_the_calls_of_the_runs_judge_are_in_what_measuring_costs(desk, author):
    judge = template_save.save_version(actor=author, name="support/judge", document=JUDGE, message="").version
    with desk(BETTER) as place:
        plan = partial(queries.plan_improvement, actor=author, run=place.run.number, model="helper", prompt=PROMPT)
        alone = plan().measuring
        columns = {"judge_model": "helper", "judge_model_digest": place.run.model_digest}
        paths = {"documents": "inputs.question"}
        Run.objects.filter(pk=place.run.pk).update(judge=judge, judge_paths=paths, **columns)
        found = plan().measuring
    assert (alone.judge_prompt_tokens, alone.judge_completion_tokens) == (0, 0)
    assert found.judge_completion_tokens == ROWS * 100
    prompts = found.prompt_tokens + found.judge_prompt_tokens
    replies = found.completion_tokens + found.judge_completion_tokens
    assert float(found.cost) == pytest.approx((prompts * 1 + replies * 2) / 1_000_000)
