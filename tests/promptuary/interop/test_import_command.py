"""`promptuary import` into a folder."""

import json
from pathlib import Path

import pytest

HAYSTACK = "name: deepset/ask\ntext: |\n  Ask {query}\ntags: [haystack]\n"
LANGFUSE = {
    "name": "Greet",
    "type": "text",
    "prompt": "Hi {{name}}",
    "config": {},
    "labels": ["production"],
    "tags": [],
}
POET = "- name: hello\n  content: |\n    Hello {{ name }}\n"
PROMPTY = "---\nname: Basic\n---\nuser:\nHi {{name}}\n"
SOURCE = 'def judge(answer):\n    prompt = f"""Is {answer} right?"""\n    return prompt\n'


@pytest.fixture
def files(run):
    folder = Path("in")
    folder.mkdir()
    (folder / "ask.yml").write_text(HAYSTACK)
    (folder / "greet.json").write_text(json.dumps(LANGFUSE))
    (folder / "hello.yml.j2").write_text(POET)
    (folder / "hello.samples.yml").write_text("short: {name: Ann}\n")
    (folder / "basic.prompty").write_text(PROMPTY)
    return folder


def results(result):
    return {entry["name"]: entry["result"] for entry in json.loads(result.stdout)["imported"]}


def test_each_file_of_a_folder_is_recognised_by_its_content(run, files):
    result = run("import", files, "--namespace", "team", "--dir", "out", "--json")
    assert results(result) == dict.fromkeys(["team/deepset/ask", "team/greet", "team/hello", "team/basic"], "new")
    assert run("lint", "out").exit_code == 0
    assert Path("out/team/hello.yml.j2").read_text() == POET
    assert "Ann" in Path("out/team/hello.samples.yml").read_text()
    rendered = run("render", "out/team/deepset/ask.yml.j2", "-d", '{"query": "why"}', "-t", "text")
    assert rendered.stdout == "Ask why\n"


def test_a_dry_run_says_what_would_happen_and_writes_nothing(run, files):
    result = run("import", files, "--namespace", "team", "--dir", "out", "--dry-run", "--json")
    assert set(results(result).values()) == {"would be new"}
    assert not Path("out").exists()


def test_the_same_again_changes_nothing(run, files):
    run("import", files, "--namespace", "team", "--dir", "out")
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    assert set(results(run("import", files, "--namespace", "team", "--dir", "out", "--json")).values()) == {"unchanged"}
    assert {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()} == before


def test_a_file_that_says_something_else_is_kept_unless_forced(run, files):
    run("import", files / "ask.yml", "--namespace", "team")
    target = Path("team/deepset/ask.yml.j2")
    target.write_text(target.read_text() + "More.\n")
    result = run("import", files / "ask.yml", "--namespace", "team", "--dry-run", "--json")
    assert results(result) == {"team/deepset/ask": "would change"}
    refused = run("import", files / "ask.yml", "--namespace", "team")
    assert (refused.exit_code, "team/deepset/ask" in refused.stderr) == (1, True)
    assert target.read_text().endswith("More.\n")
    assert run("import", files / "ask.yml", "--namespace", "team", "--force").exit_code == 0
    assert not target.read_text().endswith("More.\n")


def test_one_refusal_stops_all_and_every_one_is_named(run, files):
    (files / "bad.json").write_text(json.dumps({**LANGFUSE, "prompt": "{{a.b}}"}))
    (files / "worse.yml").write_text("name: x\ntext: '{query.upper()}'\n")
    result = run("import", files, "--namespace", "team", "--dir", "out")
    assert result.exit_code == 1
    assert "bad.json" in result.stderr
    assert "worse.yml" in result.stderr
    assert not Path("out").exists()


def test_code_is_read_and_a_name_may_be_given(run):
    Path("prompts.py").write_text(SOURCE)
    result = run("import", "prompts.py", "--namespace", "team", "--name", "is-it-right", "--json")
    assert results(result) == {"team/is-it-right": "new"}


def test_prompts_of_one_name_in_two_files_are_named_after_their_files(run, files):
    (files / "again.yml").write_text(HAYSTACK)
    result = run("import", files, "--namespace", "team", "--json")
    assert results(result)["team/deepset/again"] == "new"
    assert "it is named after its file, because another file has a prompt called ask too" in result.stdout


def test_two_prompts_of_one_name_in_one_file_are_refused(run, files):
    (files / "twice.json").write_text(json.dumps([LANGFUSE, LANGFUSE]))
    result = run("import", files, "--namespace", "team")
    assert (result.exit_code, "--name" in result.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["missing.json"], 2, "no such file"),
        (["in", "--name", "x"], 2, "single prompt"),
        (["in/ask.yml", "--from", "langfuse"], 1, "mapping with `name` and `prompt`"),
        (["in/hello.yml.j2", "--from", "haystack"], 1, "PromptTemplate"),
        (["data.bin"], 1, "UTF-8"),
        (["empty"], 1, "no prompt"),
    ],
)
def test_a_refused_import_exits_with_the_reason(run, files, arguments, code, why):
    Path("data.bin").write_bytes(b"\xff\xfa")
    Path("empty").mkdir()
    result = run("import", *arguments, "--namespace", "team")
    assert result.exit_code == code
    assert why in result.stderr
    assert "Traceback" not in result.stderr
