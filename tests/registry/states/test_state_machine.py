"""Random actions in a namespace against a model: permissions, effects, and the result of a restore."""

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.support.commit_seed import read_commit_seed
from tests.support.examples import run_size

pytestmark = [pytest.mark.slow, pytest.mark.dialect, pytest.mark.django_db]

LIVES = run_size(6, torture=50)
ACTS = run_size(30, torture=50)  # of one life

RUN = settings(
    max_examples=LIVES,
    stateful_step_count=ACTS,
    phases=[Phase.generate, Phase.shrink],
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.timeout(run_size(600, torture=3600))
def test_the_registry_does_what_the_model_says(machine, record_property):
    run_state_machine_as_test(seed(read_commit_seed())(machine), settings=RUN)
    record_property("lives", LIVES)
