"""The command line against a real server."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from promptuary.commands.app import app
from registry.changes import decisions, emergencies, rules
from registry.changes.models import ChangeRequest
from registry.evaluations import datasets
from registry.evaluations.models import Run as EvaluationRun
from registry.rollouts import services as rollout_services
from registry.templates.models import Version
from tests.api.conftest import DOCUMENT, OTHER, REPLY, SAMPLES, THIRD

pytestmark = pytest.mark.slow

Run = Callable[..., Result]


@pytest.fixture
def run(server, cast, tmp_path: Path, monkeypatch) -> Run:
    """Run the command in a new folder with the author's write key; production serves version 1 of 2."""
    cast.save(OTHER, base=cast.save(samples=SAMPLES).version.digest)
    cast.publish(1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTUARY_URL", server)
    monkeypatch.setenv("PROMPTUARY_KEY", cast.key(scope="write"))
    return lambda *arguments, **options: CliRunner().invoke(app, [str(item) for item in arguments], **options)


def _json(result: Result) -> Any:
    return json.loads(result.stdout)


def test_pull_writes_the_document_and_its_samples(run):
    result = run("pull", REPLY, "--json")
    assert (result.exit_code, _json(result)["pulled"][0]["version"]) == (0, 2)
    assert Path(f"{REPLY}.yml.j2").read_text() == OTHER
    assert "Where is my parcel?" in Path(f"{REPLY}.samples.yml").read_text()
    assert run("lint").exit_code == 0
    rendered = run("render", f"{REPLY}.yml.j2", "--sample", "short", "--target", "text")
    assert (rendered.exit_code, rendered.stdout) == (0, "Where is my parcel?")


def test_pull_takes_a_whole_namespace_or_one_ref(run, cast):
    cast.save(name="support/another")
    assert run("pull", "support").exit_code == 0
    assert Path("support/another.yml.j2").read_text() == DOCUMENT
    assert run("pull", f"{REPLY}@production").exit_code == 0
    assert Path(f"{REPLY}.yml.j2").read_text() == DOCUMENT


def test_pull_brings_the_fragments_that_checking_needs(run, cast):
    text = "---\nformat: text\n---\nBe kind.\n"
    cast.save(text, name="support/policy")
    cast.save(
        DOCUMENT.replace("{{ question }}", "{{ question }}{{ fragment('support/policy@1') }}"), name="support/kind"
    )
    run("pull", "support/kind")
    assert run("lint").exit_code == 0
    rendered = run("render", "support/kind.yml.j2", "-d", '{"question": "Why? "}', "-t", "text")
    assert rendered.stdout == "Why? Be kind.\n"


def test_pull_brings_the_standards_that_lint_checks_offline(run, cast, server, monkeypatch):
    rules.set_rules(
        actor=cast.actor("admin"), namespace="support", standards={"size": {"most": 10}, "name": {"pattern": "x"}}
    )
    run("pull", REPLY)
    monkeypatch.delenv("PROMPTUARY_URL")
    offline = run("lint")
    assert [line.split()[1:3] for line in offline.stdout.splitlines()] == [["warning", "PT005"], ["error", "PT006"]]
    rules.set_rules(actor=cast.actor("admin"), namespace="support", standards={})
    run("pull", REPLY, "--url", server)
    assert run("lint").stdout == ""


def test_pull_does_not_overwrite_edits(run):
    run("pull", REPLY)
    path = Path(f"{REPLY}.yml.j2")
    path.write_text(DOCUMENT)
    result = run("pull", REPLY)
    assert (result.exit_code, path.read_text()) == (1, DOCUMENT)
    assert "edited here" in result.stderr
    assert run("pull", REPLY, "--force").exit_code == 0
    assert path.read_text() == OTHER


def test_push_saves_only_changed_files(run, cast):
    run("pull", "support")
    assert _json(run("push", "--json"))["pushed"] == []
    Path(f"{REPLY}.yml.j2").write_text(DOCUMENT)
    pushed = _json(run("push", "-m", "Back", "--json"))["pushed"]
    assert [(item["name"], item["version"], item["result"]) for item in pushed] == [(REPLY, 3, "saved")]
    assert _json(run("push", "--json"))["pushed"] == []
    assert "Back" in run("log", REPLY).stdout


def test_push_is_refused_after_another_save(run, cast):
    run("pull", REPLY)
    digest = _json(run("lock", f"{REPLY}@2", "--json"))["templates"][REPLY]["digest"]
    cast.save(DOCUMENT, base=digest)
    Path(f"{REPLY}.yml.j2").write_text(DOCUMENT.replace("Answer", "Reply to"))
    result = run("push")
    assert result.exit_code == 1
    assert "the latest is version 3" in result.stderr


def test_push_reports_the_line_of_an_error_and_stores_nothing(run, stored):
    run("pull", REPLY)
    before = stored()
    Path(f"{REPLY}.yml.j2").write_text(DOCUMENT.replace("{{ question }}", "{{ answer }}"))
    result = run("push", "--json")
    lines = [item["line"] for item in _json(result)["pushed"][0]["error"]["problems"] if item["severity"] == "error"]
    assert (result.exit_code, lines, stored()) == (1, [8], before)


def test_a_refused_push_names_each_problem_once(run):
    run("pull", REPLY)
    text = DOCUMENT.replace("{{ question }}", "{{ answer }} {{ tone }}")
    Path(f"{REPLY}.yml.j2").write_text(text)
    lines = run("push").stderr.splitlines()
    assert lines[:2] == [f"{REPLY}  refused", "  Not valid"]
    assert len(lines) > 3
    assert len(set(lines)) == len(lines)
    assert all(line.startswith("  line ") for line in lines[2:])
    assert "and 1 more" not in "".join(lines)


def test_push_makes_a_new_template_and_proposes_it(run):
    Path("support").mkdir()
    Path("support/new.yml.j2").write_text(DOCUMENT)
    pushed = _json(run("push", "support/new", "--propose", "production", "--json"))["pushed"][0]
    assert (pushed["version"], pushed["change"]) == (1, 2)
    Path("support/new.yml.j2").write_text(OTHER)
    pushed = _json(run("push", "--propose", "production", "--json"))["pushed"][0]
    assert (pushed["version"], pushed["change"]) == (2, 2)


def test_a_protected_label_moves_by_a_change_request_only(run, cast, stored):
    before = stored()
    result = run("move", f"{REPLY}@2", "production")
    assert (result.exit_code, stored()) == (1, before)
    assert f"promptuary propose {REPLY}@2 --label production" in result.stderr
    number = _json(run("propose", f"{REPLY}@2", "-m", "Better", "--json"))["number"]
    assert run("publish", number).exit_code == 1
    assert "sign in" in run("approve", number).stderr
    assert _json(run("log", REPLY, "--json"))["versions"][0]["labels"] == []


def test_after_an_emergency_the_next_version_gets_a_change_of_its_own(run, cast):
    rules.set_rules(actor=cast.actor("admin"), namespace="support", break_glass=True)
    emergency = _json(run("propose", f"{REPLY}@2", "-m", "Now", "--json"))["number"]
    emergencies.publish_in_emergency(actor=cast.actor("reviewer"), number=emergency, reason="It insults people")
    third = cast.save(THIRD, base=Version.objects.get(template__name=REPLY, number=2).digest).version
    proposed = _json(run("propose", f"{REPLY}@{third.number}", "-m", "Better", "--json"))
    assert (proposed["number"], proposed["version"], proposed["state"]) == (emergency + 1, 3, "open")


def test_a_proposal_goes_live_gradually(run, cast):
    assert run("propose", f"{REPLY}@2", "--gradually", "many").exit_code == 2
    assert run("propose", f"{REPLY}@2", "--step-hours", "12").exit_code == 2
    result = run("propose", f"{REPLY}@2", "--gradually", "5, 25%", "--step-hours", "12")
    assert "goes live gradually: 5 %, 25 %, then everybody" in result.output
    change = ChangeRequest.objects.get(version__number=2)
    assert change.planned_rollout["steps"] == [{"share": 500, "hours": 12}, {"share": 2500, "hours": 12}]
    again = run("propose", f"{REPLY}@2", "--gradually", "10")
    assert (again.exit_code, "is open already" in again.stderr) == (1, True)
    decisions.decide_on_change(
        actor=cast.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    assert "by rollout 1" in run("publish", change.number).output
    rollout_services.stop_rollout(actor=cast.actor("reviewer"), number=1, reason="Again")
    assert _json(run("publish", change.number, "--at-once", "--json"))["state"] == "published"


def test_an_unprotected_label_moves(run):
    assert _json(run("move", f"{REPLY}@1", "staging", "--json"))["version"] == 1
    assert _json(run("move", f"{REPLY}@2", "staging", "--json"))["version"] == 2


def test_restore_saves_an_older_text_as_the_newest_version(run):
    assert run("restore", REPLY, 2).exit_code == 1  # the newest version says the same
    answer = _json(run("restore", REPLY, 1, "-m", "Back to the first words", "--json"))
    assert (answer["version"], answer["document"], answer["message"]) == (3, DOCUMENT, "Back to the first words")
    assert "@4 has the text of version 2 now" in run("restore", REPLY, 2).output


def test_rollback_is_for_reviewers(run, cast):
    cast.publish(2)
    arguments = ("rollback", REPLY, 1, "--reason", "Rude answers", "--json")
    assert run(*arguments).exit_code == 1
    assert run(*arguments, "--key", cast.key("reviewer", "write")).exit_code == 1
    result = run(*arguments, "--key", cast.key("reviewer", "", verbs=["roll_back"]))
    assert (result.exit_code, _json(result)["version"]) == (0, 1)


def test_a_dry_run_of_a_rollback_lists_its_effects_and_moves_nothing(run, cast):
    cast.publish(2)
    reader = ("--key", cast.key("reader", "read", approved_only=False))
    result = run("rollback", REPLY, 1, "--dry-run", *reader)
    assert result.exit_code == 0
    assert f"{REPLY}: production back from version 2 to version 1\n" in result.output
    assert "No service fetched production in the last 30 days." in result.output
    assert "A reviewer rolls it back at once, without an approval." in result.output
    assert "Undo: a reviewer rolls production back to version 2" in result.output
    assert result.output.endswith("Nothing was stored.\n")
    data = _json(run("rollback", REPLY, 1, "--dry-run", "--json", *reader))
    assert (data["serves"], data["version"], data["undo_version"]) == (2, 1, 2)
    assert "nothing to roll back" in run("rollback", REPLY, 2, "-n", *reader).output
    refused = run("rollback", REPLY, 1, "--key", cast.key("reviewer", "", verbs=["roll_back"]))
    assert (refused.exit_code, "--reason is missing" in refused.stderr) == (2, True)


def test_diff_shows_the_changed_lines(run):
    result = run("diff", f"{REPLY}@1", f"{REPLY}@2", "--exit-code")
    assert result.exit_code == 1
    assert "+description: Answer a question well\n" in result.stdout
    assert run("diff", f"{REPLY}@1", f"{REPLY}@1", "--exit-code").exit_code == 0


def test_lock_pins_versions_and_reports_drift(run, cast):
    assert run("lock", REPLY).exit_code == 0
    locked = json.loads(Path("promptuary.lock").read_text())["templates"][REPLY]
    assert (locked["ref"], locked["version"]) == ("production", 1)
    assert run("lock", "--frozen").exit_code == 0
    cast.publish(2)
    result = run("lock", "--frozen")
    assert result.exit_code == 1
    assert "version 1 is locked, 2 is served" in result.stderr


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--key", "pb_wrong"), 2),
        (("--url", "http://127.0.0.1:9"), 2),
        (("--url", "nonsense"), 2),
    ],
)
def test_a_registry_that_cannot_be_asked_is_exit_code_two(run, options, code):
    result = run("log", REPLY, "--json", *options)
    assert (result.exit_code, list(_json(result))) == (code, ["error"])


def test_an_unknown_template_or_version_exits_with_1(run):
    assert run("log", "support/unknown").exit_code == 1
    assert run("render", f"{REPLY}@9", "-d", "{}").exit_code == 1


def test_a_dry_run_of_a_proposal_matches_the_api_and_stores_nothing(run, caller, stored):
    answer = caller("author").get(f"templates/{REPLY}/-/labels/production/preview?version=2").json()
    before = stored()
    assert _json(run("propose", f"{REPLY}@2", "--dry-run", "--json")) == answer
    lines = run("propose", f"{REPLY}@2", "--dry-run").output
    assert f"{REPLY}: production from version 1 to version 2" in lines
    assert "Undo: a reviewer rolls production back to version 1, without an approval." in lines
    assert stored() == before


def test_estimate_reports_the_expected_cost_of_a_run(run, cast, monkeypatch, settings, tmp_path):
    models = tmp_path / "models.yml"
    models.write_text(
        'asked: {base_url: "https://models.example/v1", model: m, price: {prompt: 0.1, completion: 0.2}}\n'
    )
    settings.MODELS_PATH = models
    rows = "".join(json.dumps({"inputs": {"question": f"q{n}"}}) + "\n" for n in range(3))
    datasets.save_dataset(actor=cast.actor("author"), name="support/questions", text=rows)
    arguments = ("estimate", f"{REPLY}@production", "--dataset", "support/questions", "--model", "asked")
    data = _json(run(*arguments, "--json"))
    assert (data["rows"], data["completion_tokens"], data["currency"]) == (3, 2400, "USD")
    assert float(data["cost"]) == pytest.approx((data["prompt_tokens"] * 0.1 + 2400 * 0.2) / 1e6)
    text = run(*arguments)
    assert (text.exit_code, text.stdout) == (
        0,
        f"3 rows, {data['prompt_tokens']} tokens in prompts, 2,400 in replies (at most): {data['cost']} USD\n",
    )
    free = run("estimate", REPLY, "--dataset", "support/questions")
    assert "no cost, it has no price" in free.stdout
    assert run("estimate", REPLY, "--dataset", "support/none").exit_code == 1
    judge = "inputs: {documents: {type: array}}\n"
    document = f"---\n{judge}---\n- name: ask\n  content: Is it in {{{{ documents }}}}? Answer in JSON.\n"
    cast.save(document, name="support/judge")
    judging = ("--judge", "support/judge@1", "--judge-model", "asked", "--judge-path", "documents=inputs.question")
    judged = _json(run(*arguments, *judging, "--json"))
    assert (judged["prompt_tokens"], judged["judge_completion_tokens"]) == (data["prompt_tokens"], 2400)
    assert float(judged["cost"]) > float(data["cost"])
    assert (
        f"; {judged['judge_prompt_tokens']:,} tokens in prompts of the judge, 2,400" in run(*arguments, *judging).stdout
    )
    assert run(*arguments, "--judge-model", "asked").exit_code == 1
    unread = run(*arguments, "--judge-path", "documents")
    assert (unread.exit_code, "write one of documents, question, response" in unread.output) == (2, True)
    assert not EvaluationRun.objects.exists()
