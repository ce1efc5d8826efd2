"""The starter library: its contents for a newcomer, and a load that continues an interrupted one."""

import pytest

from registry.accounts.models import Key, User
from registry.changes import gate, rollout_plans
from registry.changes.models import ChangeRequest, Verdict
from registry.evaluations import run_queries as queries
from registry.evaluations.models import Run
from registry.namespaces.models import Namespace
from registry.rollouts import clock as rollout_clock
from registry.rollouts import stop_rules
from registry.rollouts.models import Rollout
from registry.starter import evaluation_demo, rollout_demo
from registry.starter import load as starter_load
from registry.starter.progress import read_progress
from registry.templates.label_models import Label
from registry.templates.models import Template
from tests.support.recorded_rows import write_or_insert

pytestmark = pytest.mark.usefixtures("db")


@pytest.fixture(autouse=True)
def a_home_of_its_own(settings, tmp_path):
    settings.PROMPTUARY_HOME = tmp_path
    settings.MODELS_PATH = tmp_path / "models.yml"


def load() -> list[str]:
    said: list[str] = []
    starter_load.prepare_starter()
    starter_load.load_starter(said.append)
    return said


@pytest.fixture
def loaded(tmp_path):
    """The library as one load leaves it: its rows, and its files in the home."""

    def write() -> dict[str, str]:
        load()
        return {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()}

    for name, text in write_or_insert("starter library", write).items():
        (tmp_path / name).write_text(text)


def test_the_reply_is_at_three_versions_with_production_on_the_second():
    said = load()
    reply = Template.objects.get(name=starter_load.REPLY)
    assert reply.latest.number == 3
    assert Label.objects.get(template=reply, name="production").version.number == 2
    replies = ChangeRequest.objects.filter(template=reply)
    assert set(replies.values_list("state", flat=True)) == {"published"}
    assert any("demo/summarise (" in line for line in said)
    again = (Template.objects.count(), Key.objects.count(), ChangeRequest.objects.count())
    load()
    assert (Template.objects.count(), Key.objects.count(), ChangeRequest.objects.count()) == again
    for role in starter_load.PEOPLE:
        person = User.objects.get(username=role)
        assert person.check_password(f"{role}-promptuary")
        assert person.email == f"{role}@example.org"
    assert starter_load.is_starter_loaded()
    assert starter_load.read_demo_key().startswith("pb_")


def test_a_reply_is_in_a_rollout_with_scores_of_both_sides_and_loading_again_adds_none(loaded):
    load()
    rollout = Rollout.objects.get()
    assert (rollout.template.name, rollout.share, rollout.state) == (rollout_demo.TEMPLATE, 500, "running")
    assert (rollout.stable.number, rollout.candidate.number) == (1, 2)
    (score,) = stop_rules.read_side_scores([rollout])[rollout.number]
    assert score.stable.count + score.candidate.count == rollout_demo.CUSTOMERS
    assert 0 < score.candidate.count < rollout_plans.REPLIES
    assert rollout_clock.advance_rollouts() == 0


def test_people_can_sign_in_and_the_key_exists_before_any_template_and_nobody_gets_mail():
    starter_load.prepare_starter()
    assert read_progress().done == 0
    assert not starter_load.is_starter_loaded()
    assert User.objects.get(username="admin").is_superuser
    assert set(User.objects.values_list("email", flat=True)) == {""}
    assert starter_load.read_demo_key().startswith("pb_")
    assert Template.objects.count() == 0
    starter_load.prepare_starter()
    assert Key.objects.count() == 1


@pytest.mark.slow
def test_the_demo_requires_what_every_new_namespace_does_and_its_published_changes_passed(loaded):
    for namespace in Namespace.objects.filter(name__in=("demo", "support")):
        assert namespace.required_checks == ["problems", "samples", "budget", "contract"]
    published = ChangeRequest.objects.filter(state="published")
    assert published.count() == 5
    for change in published:
        given = Verdict.objects.filter(version=change.version, outcome="passed").values_list("check_name", flat=True)
        assert set(given) >= {"problems", "samples", "budget", "contract"}


@pytest.mark.slow
def test_a_load_that_stopped_halfway_is_gone_on_with():
    class Enough(Exception):
        pass

    def stop(line):
        if line.startswith("support/"):
            raise Enough

    starter_load.prepare_starter()
    with pytest.raises(Enough):
        starter_load.load_starter(stop)
    assert not starter_load.is_starter_loaded()
    stopped = read_progress()
    assert (stopped.done, stopped.total - stopped.done) == (Template.objects.count(), 4)
    assert stopped.doing.startswith("support/policy")
    load()
    assert starter_load.is_starter_loaded()
    assert read_progress() is None
    assert Template.objects.get(name=starter_load.REPLY).latest.number == 3


@pytest.mark.slow
def test_of_two_changes_in_review_one_passes_its_gate_and_one_fails_it(loaded):
    outcomes = []
    for measured in (evaluation_demo.PASSING, evaluation_demo.FAILING):
        change = ChangeRequest.objects.get(template__name=measured.template, state="open")
        state = next(state for state in gate.evaluate(change, None).checks if state.name == "evaluation")
        outcomes.append((state.outcome, len(state.findings)))
        runs = Run.objects.filter(version__template__name=measured.template, night=None)
        assert [(run.state, run.done, run.failed) for run in runs] == [("done", len(measured.rows), 0)] * 2
    assert outcomes == [("passed", 2), ("failed", 2)]
    first, second = Run.objects.filter(version__template__name=evaluation_demo.PASSING.template).order_by(
        "version__number"
    )
    nightly = Run.objects.exclude(night=None)
    assert {(run.template.name, run.state) for run in nightly} == {(evaluation_demo.FAILING.template, "queued")}
    assert len({run.night for run in nightly}) == 3
    compared = queries.compare_runs(first, second, "squad_f1").comparison
    assert (compared.winner, compared.worse > 5) == ("second", True)
