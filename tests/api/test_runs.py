"""Runs in the API: start, watch, cancel, retry, compare, export; attachments and models."""

import json

import pytest

from registry.evaluations import run_worker
from registry.templates.models import Template
from tests.api.conftest import OTHER, REPLY, problem
from tests.support.full_disk import fill_temporary_folder

ROWS = [{"id": f"r{n}", "inputs": {"question": f"q{n}"}, "expected": {"answer": f"q{n}"}} for n in range(5)]


@pytest.fixture
def author(cast, caller):
    cast.save()
    found = caller("author")
    found.put("datasets/support/questions", {"rows": ROWS})
    return found


@pytest.fixture
def run(author):
    """The number of a run that is done."""

    def run(**options):
        made = author.post("runs", {"template": REPLY, "dataset": "support/questions", **options})
        assert made.status_code == 202, made.content
        while run_worker.advance_run(made.json()["number"]):
            pass
        return made.json()["number"]

    return run


def test_a_started_run_reports_its_progress(author):
    made = author.post("runs", {"template": REPLY, "dataset": "support/questions"})
    body = made.json()
    assert (made.status_code, body["state"], body["done"], body["total"]) == (202, "queued", 0, 5)
    assert made["Location"] == f"/api/v1/runs/{body['number']}"
    assert author.get(f"runs/{body['number']}/rows").json()["results"][0]["state"] == "waiting"


def test_a_finished_run_has_scores_and_rows(author, run):
    number = run()
    body = author.get(f"runs/{number}").json()
    assert (body["state"], body["scores"]["squad_f1"]["answer"]["score"]) == ("done", 1.0)
    row = author.get(f"runs/{number}/rows?limit=1").json()["results"][0]
    assert (row["state"], row["actual"]["answer"], row["scores"]["squad_f1 answer"]) == ("done", "q0", 1.0)
    assert row["prompts"] == [[{"role": "user", "content": "q0"}]]


def test_an_estimate_reports_the_cost_and_starts_no_run(author):
    answer = author.post("runs/estimate", {"template": REPLY, "dataset": "support/questions", "ref": "1"})
    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert (body["rows"], body["sampled"], body["misfits"], body["cost"], body["currency"]) == (5, 5, 0, None, "")
    assert body["prompt_tokens"] > 0
    assert author.get("runs").json()["results"] == []
    author.put("datasets/support/odd", {"rows": [{"inputs": {"other": "x"}}]})
    refused = problem(author.post("runs/estimate", {"template": REPLY, "dataset": "support/odd"}), 422, "invalid")
    assert "no row of support/odd fits" in refused["fields"]["dataset"]


def test_a_run_is_cancelled_and_taken_up_again(author):
    number = author.post("runs", {"template": REPLY, "dataset": "support/questions"}).json()["number"]
    assert author.post(f"runs/{number}/cancel").json()["state"] == "cancelled"
    problem(author.post(f"runs/{number}/cancel"), 409, "conflict")
    again = author.post(f"runs/{number}/rerun")
    assert (again.status_code, again.json()["state"]) == (202, "queued")


def test_two_runs_are_compared(cast, author, run):
    before = run()
    saved = cast.save(
        OTHER.replace('"{{ question }}"', '"so {{ question }}"'), base=Template.objects.get(name=REPLY).latest.digest
    )
    after = run()
    body = author.get(f"runs/{after}/compare?with={before}&metric=squad_exact_match").json()
    assert (body["worse"], body["winner"], len(body["rows"])) == (5, before, 5)
    assert (body["rows"][0]["before"], body["rows"][0]["after"], saved.version.number) == (1.0, 0.0, 2)
    problem(author.get(f"runs/{after}/compare?with={before}&metric=bleu"), 422, "invalid")
    problem(author.get(f"runs/{after}/compare?with={before}"), 400, "bad-request")


@pytest.mark.parametrize(
    ("form", "begins", "holds"),
    [
        ("csv", b"inputs.question,", b"q3"),
        ("json", b"{", b"squad_f1"),
        ("jsonl", b'{"promptuary": "evaluation"', b"q3"),
        ("html", b"<!doctype html>", b"squad_f1"),
    ],
)
def test_a_run_is_exported(author, run, form, begins, holds):
    number = run()
    answer = author.get(f"runs/{number}/export?form={form}")
    assert answer.status_code == 200, answer.content
    assert answer.content.startswith(begins)
    assert holds in answer.content
    assert answer["Content-Disposition"] == f'attachment; filename="run-{number}.{form}"'


def test_an_export_on_a_full_disk_is_refused_with_the_reason(author, run, monkeypatch):
    number = run()
    fill_temporary_folder(monkeypatch)
    answer = author.get(f"runs/{number}/export?form=csv")
    problem(answer, 503, "busy")
    assert "disk of the server is full" in answer.json()["detail"]
    assert answer["Retry-After"] == "60"


def test_an_export_has_a_media_type_that_the_schema_declares(author, run):
    number, schema = run(), author.get("schema").json()
    declared = schema["paths"]["/api/v1/runs/{number}/export"]["get"]["responses"]["200"]["content"]
    for form in ("jsonl", "json", "csv", "html"):
        answer = author.get(f"runs/{number}/export?form={form}")
        assert answer["Content-Type"].partition(";")[0] in declared


def test_cells_of_the_csv_are_no_spreadsheet_formulas(author, run):
    author.put("datasets/support/odd", {"rows": [{"inputs": {"question": "=1+1"}, "expected": "x"}]})
    content = author.get(f"runs/{run(dataset='support/odd')}/export?form=csv").content
    assert b"'=1+1" in content
    assert b",=1+1" not in content


def test_a_report_is_set_against_another_run(author, run):
    before, after = run(), run()
    assert b"against" in author.get(f"runs/{after}/export?form=html&with={before}").content
    problem(author.get(f"runs/{after}/export?form=pdf"), 422, "invalid")


def test_runs_are_filtered_by_template_and_dataset(author, run):
    number = run()
    results = author.get(f"runs?template={REPLY}&state=done&dataset=support/questions").json()["results"]
    assert [row["number"] for row in results] == [number]
    assert author.get("runs?state=queued").json()["results"] == []
    problem(author.get("runs?state=unknown"), 422, "invalid")


def test_an_admin_attaches_an_evaluation(cast, caller, author):
    admin = caller("admin", session=True)
    body = {"pattern": "refunds/*", "dataset": "support/questions", "model": "echo", "gates": ["squad_f1 - 0.02"]}
    made = admin.put("attachments/support/answers", body)
    assert made.json()["gates"] == ["squad_f1 - 0.02"]
    listed = author.get("attachments?namespace=support").json()["results"]
    assert [row["name"] for row in listed] == ["answers"]
    cast.propose(1)
    checks = author.get("changes/1").json()["checks"]
    found = next(check for check in checks if check["name"] == "evaluation")
    assert (found["state"], found["digests"]["evaluations"][0]["evaluation"]) == ("waiting", "answers")
    assert admin.call("DELETE", "attachments/support/answers").status_code == 204


def test_models_are_listed_without_address_and_credential(author, settings, tmp_path):
    settings.MODELS_PATH = tmp_path / "models.yml"
    settings.MODELS_PATH.write_text(
        "s: {base_url: 'https://models.example/v1', key_env: SECRET_NAME, price: {prompt: 1, completion: 2}}\n"
    )
    answer = author.get("models?namespace=support")
    assert [model["name"] for model in answer.json()["results"]] == ["s", "echo"]
    assert "example" not in json.dumps(answer.json())
    assert "SECRET_NAME" not in json.dumps(answer.json())
    problem(author.get("models"), 400, "bad-request")


def test_a_run_of_an_unknown_version_is_refused(author):
    problem(author.post("runs", {"template": "support/none", "dataset": "support/questions"}), 404, "not-found")
    problem(author.post("runs", {"template": REPLY, "dataset": "support/none"}), 404, "not-found")
    problem(author.post("runs", {"template": REPLY, "dataset": "support/questions", "model": "x"}), 422, "invalid")
