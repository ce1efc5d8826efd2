"""What a run is expected to cost: from its prompts, from earlier replies, and without a price."""

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
    found = estimate(author, model="s")
    assert (found.rows, found.sampled, found.misfits, found.is_from_replies) == (80, 20, 0, False)
    assert found.completion_tokens == 80 * 800
    assert found.prompt_tokens > 0
    assert float(found.cost) == (found.prompt_tokens * 100 + found.completion_tokens * 200) / 1e6
    assert found.currency == "EUR"
    assert model.asked == []
    assert not Run.objects.exists()


def test_replies_of_an_earlier_run_tell_their_length(author, start, model):  # noqa: F811
    finish(start(model="s"))
    found = estimate(author, model="s")
    assert (found.completion_tokens, found.is_from_replies) == (400, True)


def test_a_model_without_a_price_has_no_cost(author, questions):  # noqa: F811
    found = estimate(author)
    assert (found.cost, found.currency) == (None, "")


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


def test_what_can_not_be_run_has_no_estimate(author, reader, save, questions):  # noqa: F811
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
def test_the_settings_or_the_reserve_tell_how_long_replies_may_be(author, questions, model, front, longest):  # noqa: F811
    latest = Version.objects.get()
    limited = latest.document.replace("---\n", f"---\n{front}\n", 1)
    template_save.save_version(
        actor=author, name="support/reply", document=limited, message="Limited", base=latest.digest
    )
    assert estimate(author, model="s").completion_tokens == 80 * longest
