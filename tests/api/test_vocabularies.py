"""GET /api/v1/vocabularies/sha256:…: the vocabulary that a client counts with, byte for byte."""

import gzip
import hashlib

import httpx
import pytest
from django.http import HttpResponse

from promptuary.renderer.tokens import vocabularies
from promptuary.renderer.tokens.vocabularies import VOCABULARIES
from registry.namespaces import services as namespace_services
from tests.api.conftest import Caller, problem

QWEN = f"sha256:{VOCABULARIES['qwen'].sha256}"
O200K = f"sha256:{VOCABULARIES['o200k_base'].sha256}"
NAMES = ["o200k_base", "qwen", "mistral-tekken", "mistral-v3", "deepseek-v3"]


def body_of(response: HttpResponse) -> bytes:
    return b"".join(response) if response.streaming else response.content


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PROMPTUARY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("encoding", ["", "gzip"])
@pytest.mark.parametrize("name", NAMES)
def test_the_bytes_are_those_that_the_profile_pins(caller, name, encoding):
    digest = VOCABULARIES[name].sha256
    response = caller("reader").get(f"vocabularies/sha256:{digest}", Accept_Encoding=encoding)
    body = body_of(response)
    assert int(response["Content-Length"]) == len(body)
    assert response.get("Content-Encoding", "") == encoding
    assert hashlib.sha256(gzip.decompress(body) if encoding else body).hexdigest() == digest


def test_it_is_immutable_and_asked_for_again_by_its_tag(caller):
    reader = caller("reader")
    response = reader.get(f"vocabularies/{QWEN}")
    body_of(response)
    assert response["ETag"] == f'"{QWEN}"'
    assert response["Cache-Control"] == "private, max-age=31536000, immutable"
    assert {"Authorization", "Accept-Encoding"} <= {part.strip() for part in response["Vary"].split(",")}
    again = reader.get(f"vocabularies/{QWEN}", If_None_Match=response["ETag"])
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", response["ETag"])


def test_each_form_has_a_tag_of_its_own(caller):
    reader = caller("reader")
    packed = reader.get(f"vocabularies/{QWEN}", Accept_Encoding="br, gzip;q=0.5")
    assert len(body_of(packed)) < 1_700_000  # of 2.6 MB
    assert packed["ETag"] == f'"{QWEN}-gzip"'
    assert reader.get(f"vocabularies/{QWEN}", Accept_Encoding="gzip", If_None_Match=packed["ETag"]).status_code == 304
    plain = reader.get(f"vocabularies/{QWEN}", Accept_Encoding="gzip;q=0", If_None_Match=packed["ETag"])
    assert (plain.status_code, "Content-Encoding" in plain) == (200, False)


def test_a_head_request_has_the_length_and_no_body(server, cast):
    headers = {"Authorization": f"Bearer {cast.key()}", "Accept-Encoding": "identity"}
    head = httpx.head(f"{server}/api/v1/vocabularies/{QWEN}", headers=headers)
    response = httpx.get(f"{server}/api/v1/vocabularies/{QWEN}", headers=headers)
    assert (head.status_code, head.content, head.headers["Content-Length"]) == (
        200,
        b"",
        str(len(response.content)),
    )
    assert head.headers["ETag"] == response.headers["ETag"]


@pytest.mark.parametrize(
    "digest", ["sha256:" + "0" * 64, "sha256:", "o200k_base", f"sha256:{VOCABULARIES['llama3'].sha256}", O200K.upper()]
)
def test_a_vocabulary_that_the_server_lacks_is_not_found(caller, digest):
    if vocabularies.is_installed("llama3"):
        pytest.skip("llama-models is installed here")
    problem(caller("reader").get(f"vocabularies/{digest}"), 404, "not-found")


def test_a_key_of_any_namespace_that_may_fetch_or_check_gets_it(cast, caller):
    for options in (
        {"scope": "read"},
        {"scope": "chosen", "verbs": ["fetch"]},
        {"scope": "chosen", "verbs": ["check"]},
    ):
        for namespace in ("support", "other"):
            role = "outsider" if namespace == "other" else "author"
            key = cast.key(role, namespace=namespace, **options)
            assert Caller(key=key).get(f"vocabularies/{QWEN}").status_code == 200, options
    problem(Caller(key=cast.key(scope="chosen", verbs=["save"])).get(f"vocabularies/{QWEN}"), 403, "not-allowed")


def test_a_key_whose_person_left_gets_nothing(cast):
    key = cast.key("author")
    namespace_services.set_role(actor=cast.actor("admin"), namespace="support", username="author", role=None)
    problem(Caller(key=key).get(f"vocabularies/{QWEN}"), 404, "not-found")


def test_a_damaged_packed_file_is_made_again(caller, folder):
    reader = caller("reader")
    whole = body_of(reader.get(f"vocabularies/{QWEN}", Accept_Encoding="gzip"))
    [file] = (folder / "packed").iterdir()
    file.write_bytes(whole[:-1000])
    assert body_of(reader.get(f"vocabularies/{QWEN}", Accept_Encoding="gzip")) == whole


def test_a_folder_that_cannot_be_written_sends_it_unpacked(caller, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PROMPTUARY_CACHE", str(tmp_path / "file"))
    response = caller("reader").get(f"vocabularies/{QWEN}", Accept_Encoding="gzip")
    assert "Content-Encoding" not in response
    assert f"sha256:{hashlib.sha256(body_of(response)).hexdigest()}" == QWEN


def test_the_packed_file_is_private(caller, folder):
    body_of(caller("reader").get(f"vocabularies/{QWEN}", Accept_Encoding="gzip"))
    [file] = (folder / "packed").iterdir()
    assert [path.stat().st_mode & 0o777 for path in (folder, file.parent, file)] == [0o700, 0o700, 0o600]


LLAMA = (
    "---\nmodel: llama-3.1-8b\n{limit}inputs: {{q: {{type: string, maxLength: 60}}}}\n---\n"
    "- name: q\n  content: '{{{{ q }}}}'\n"
)


@pytest.fixture
def without_llama() -> None:
    if vocabularies.is_installed("llama3"):
        pytest.skip("llama-models is installed here")


def test_a_server_without_the_vocabulary_saves_with_a_warning_and_shows_what_surely_fits(caller, without_llama):
    author = caller("author")
    sample = {"document": LLAMA.format(limit="token_limit: 100\n"), "samples": {"a": {"q": "x" * 60}}}
    [problem_found] = author.post("check", sample).json()["problems"]
    assert (problem_found["code"], problem_found["severity"]) == ("PT604", "warning")
    assert author.post("check", {**sample, "document": LLAMA.format(limit="")}).json()["problems"] == []
    body = author.post("render", {"document": LLAMA.format(limit=""), "data": {"q": "Why?"}}).json()
    assert (body["messages"], body["token_count"]) == ([{"role": "user", "content": "Why?"}], None)
    assert "pip install --no-deps llama-models" in body["tokenizer"]["missing"]


def test_a_server_without_the_vocabulary_never_cuts_by_an_estimate(caller, without_llama):
    sent = {"document": LLAMA.format(limit="token_limit: 100\n"), "data": {"q": "x" * 60}}
    body = problem(caller("author").post("render", sent), 422, "invalid")
    assert [each["code"] for each in body["problems"]] == ["PT604"]
    assert "pip install --no-deps llama-models" in body["problems"][0]["message"]
