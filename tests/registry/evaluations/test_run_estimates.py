"""The expected cost of a run: from its prompts, from earlier replies, and without a price."""

import json

import pytest

from registry.core.errors import Invalid, NotAllowed
from registry.evaluations import datasets, run_estimates
from registry.evaluations.models import Run
from registry.templates import save as template_save
from registry.templates.models import Version
from tests.registry.evaluations.test_run_worker import (  # noqa: F401  # the fixtures
    DATASET,
    finish,
    model,
    questions,
    start,
)


def estimate(actor, **options):
    return run_estimates.estimate_run(actor=actor, template="support/reply", **{"dataset": DATASET, **options})


def test_replies_are_taken_to_be_as_long_as_they_may_be(author, questions, model):  # noqa: F811
    costs = estimate(author, model="s")
    assert (costs.rows, costs.sampled, costs.misfits, costs.is_from_replies) == (80, 20, 0, False)
    assert costs.completion_tokens == 80 * 800
    assert costs.prompt_tokens > 0
    assert float(costs.cost) == (costs.prompt_tokens * 100 + costs.completion_tokens * 200) / 1e6
    assert costs.currency == "EUR"
    assert model.asked == []
    assert not Run.objects.exists()


def test_replies_of_an_earlier_run_tell_their_length(author, start, model):  # noqa: F811
    finish(start(model="s"))
    costs = estimate(author, model="s")
    assert (costs.completion_tokens, costs.is_from_replies) == (400, True)


def test_a_model_without_a_price_has_no_cost(author, questions):  # noqa: F811
    costs = estimate(author)
    assert (costs.cost, costs.currency) == (None, "")


def test_rows_that_do_not_render_are_counted(author, save):
    save()
    rows = [{"inputs": {"question": "x"}}, {"inputs": {}}]
    datasets.save_dataset(actor=author, name=DATASET, text="".join(json.dumps(row) + "\n" for row in rows))
    assert (estimate(author).sampled, estimate(author).misfits) == (2, 1)


def test_a_setting_that_the_model_does_not_take_is_named_before_a_run_and_its_estimate(
    author,
    questions,  # noqa: F811
    start,  # noqa: F811
    settings,
    tmp_path,
):
    settings.MODELS_PATH = tmp_path / "models.yml"
    settings.MODELS_PATH.write_text("c: {base_url: 'https://models.example/v1', protocol: anthropic}\n")
    latest = Version.objects.get()
    seeded = latest.document.replace("---\n", "---\nsettings: {seed: 7}\n", 1)
    template_save.save_version(
        actor=author, name="support/reply", document=seeded, message="Seeded", base=latest.digest
    )
    for act in (lambda: estimate(author, model="c"), lambda: start(model="c")):
        with pytest.raises(Invalid) as caught:
            act()
        assert "which does not take the setting seed:" in caught.value.fields["model"]
    assert not Run.objects.exists()
    assert estimate(author).rows == 80


def test_an_invalid_run_has_no_estimate(author, reader, save, questions):  # noqa: F811
    with pytest.raises(NotAllowed):
        estimate(reader)
    datasets.save_dataset(actor=author, name="support/odd", text='{"inputs": {"other": 1}}')
    with pytest.raises(Invalid):
        estimate(author, dataset="support/odd")


@pytest.mark.parametrize(
    ("front", "longest"),
    [
        ("settings: {max_tokens: 50}", 50),
        ("settings: {max_output_tokens: 60}", 60),
        ("settings: {max_tokens: 50, max_completion_tokens: 70}", 70),
        ("token_limit: 5000\nreserve: 90", 90),
    ],
)
def test_the_settings_or_the_reserve_limit_the_reply(author, questions, model, front, longest):  # noqa: F811
    latest = Version.objects.get()
    limited = latest.document.replace("---\n", f"---\n{front}\n", 1)
    template_save.save_version(
        actor=author, name="support/reply", document=limited, message="Limited", base=latest.digest
    )
    assert estimate(author, model="s").completion_tokens == 80 * longest


JUDGE = """---
settings: {max_tokens: 200}
inputs:
  documents: {type: array, items: {type: string}}
  response: {type: string}
---
- name: question
  content: "{{ documents }} {{ response }}"
"""


@pytest.fixture
def judge(author, questions):  # noqa: F811
    """The arguments that have the template `support/judge` judge each row."""
    template_save.save_version(actor=author, name="support/judge", document=JUDGE, message="")
    return {"judge": "support/judge@1", "judge_paths": {"documents": "inputs.question"}}


def test_the_calls_of_a_judge_are_in_the_cost(author, judge, model, settings):  # noqa: F811
    price = "{prompt: 1000, completion: 3000, currency: EUR}"
    listed = settings.MODELS_PATH.read_text()
    settings.MODELS_PATH.write_text(f"{listed}dear: {{base_url: 'http://127.0.0.1:9/v1', price: {price}}}\n")
    alone, costs = estimate(author, model="s"), estimate(author, model="s", judge_model="dear", **judge)
    assert (costs.prompt_tokens, costs.completion_tokens) == (alone.prompt_tokens, alone.completion_tokens)
    assert costs.judge_completion_tokens == 80 * 200
    assert costs.judge_prompt_tokens > alone.completion_tokens  # the reply is read, as long as it may be
    judged = (costs.judge_prompt_tokens * 1000 + costs.judge_completion_tokens * 3000) / 1e6
    assert float(costs.cost) == pytest.approx(float(alone.cost) + judged)
    assert model.asked == []


def test_a_judge_without_a_price_leaves_the_cost_unknown(author, judge, model):  # noqa: F811
    costs = estimate(author, model="s", judge_model="echo", **judge)
    assert (costs.cost, costs.currency) == (None, "")
    assert costs.judge_prompt_tokens > 0


def test_rows_in_which_the_judge_finds_nothing_cost_nothing(author, judge, model):  # noqa: F811
    costs = estimate(author, model="s", judge="support/judge@1", judge_model="s")
    assert (costs.judge_prompt_tokens, costs.judge_completion_tokens) == (0, 0)
    assert costs.cost == estimate(author, model="s").cost


def test_an_invalid_judge_is_refused_as_at_the_start(author, judge):
    with pytest.raises(Invalid) as caught:
        estimate(author, **judge)
    assert list(caught.value.fields) == ["judge_model"]
