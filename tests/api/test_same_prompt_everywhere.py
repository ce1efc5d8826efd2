"""One document, one prompt: the editor's preview, the API, the client and the command line render the same bytes."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from django.core.cache import caches
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from frontend.editor.preview import Preview, build_preview
from frontend.editor.state import read_posted_state
from promptuary import Promptuary
from promptuary.commands.app import app
from promptuary.renderer import Prompt, RenderError
from registry.core.errors import Invalid
from registry.namespaces import throttling
from tests.api.conftest import Cast
from tests.renderer import varied_documents
from tests.support.commit_seed import read_commit_seed

pytestmark = pytest.mark.slow

Answer = dict[str, Any]

PARTS = 2
DOCUMENTS = 250  # of one part
MAX_PER_KEY = 50  # a key is stopped after so many seconds of server work a minute
PROFILES = ("", "", "model: gpt-4o\n", "model: mistral-7b-instruct-v0.1\n")
LIMITS = ("", "", "token_limit: 12\n", "token_limit: 40\nreserve: 4\n", "token_limit: 400\n")
LOCAL_NAMES = dict.fromkeys(("r", "t1", "t2", "w", "z"), "given")  # of documents that set them on some paths only
MISSING: Answer = {"problem": "PT401"}  # a value that the preview has a placeholder for
SEVERAL: Answer = {"problem": "PT802"}  # for callers that expect one prompt but get several or none
_OF_THE_API = ("overridden", "version", "digest", "preview")

documents = st.tuples(varied_documents.documents(), st.sampled_from(PROFILES), st.sampled_from(LIMITS)).map(
    lambda drawn: drawn[0].replace("\n", f"\n{drawn[1]}{drawn[2]}", 1).replace('"a/', '"support/')
)


@dataclass
class EntryPoints:
    """The ways to one prompt. Each returns the prompt's JSON, or `{"problem": code}` for the problem that prevents it.

    counts: how many documents were saved and refused, how many prompts were stopped, and how many previews had every
    value and so were compared.
    """

    cast: Cast
    url: str
    http: httpx.Client
    key: str = ""
    client: Promptuary | None = None
    counts: Counter[str] = field(default_factory=Counter)

    def renew_key(self) -> None:
        """Go on with a fresh key and a fresh client."""
        throttling.forget_calls()
        caches["default"].clear()
        self.close()
        self.key = self.cast.key("author", "write")
        self.client = Promptuary(self.url, self.key, timeout=60)

    def close(self) -> None:
        """Close the client."""
        if self.client is not None:
            self.client.close()

    def save(self, name: str, document: str) -> bool:
        """Save the document as a new template, and return whether it has no errors."""
        problems = find_problems(lambda: self.cast.save(document, name=name))
        if not problems:
            self.counts["saved"] += 1
            return True
        self.counts["refused"] += 1
        assert self.ask_api({"document": document})["problem"] in problems
        return False

    def ask_api(self, body: Answer) -> Answer:
        """POST /api/v1/render over HTTP."""
        headers = {"Authorization": f"Bearer {self.key}"}
        answer = self.http.post(f"{self.url}/api/v1/render", json=body, headers=headers)
        found: Answer = answer.json()
        if answer.status_code != 200:
            assert answer.status_code == 422, found
            return {"problem": found["problems"][0]["code"]}
        return {name: value for name, value in found.items() if name not in _OF_THE_API}

    def ask_client(self, name: str, data: Answer) -> Prompt | Answer:
        """The Python client fetches the version and renders it here; the first prompt if there are several."""
        assert self.client is not None
        try:
            prompts = self.client.get(name, 1).render_all(data)
        except RenderError as error:
            return {"problem": error.code}
        self.counts["several"] += len(prompts) != 1
        return prompts[0] if prompts else SEVERAL

    def ask_command(self, name: str, data: Answer, target: str) -> Answer:
        """`promptuary render NAME@1 --json`."""
        arguments = ["render", f"{name}@1", "-d", json.dumps(data), "-t", target, "--json"]
        done = CliRunner().invoke(app, [*arguments, "--url", self.url, "--key", self.key])
        answer: Answer = json.loads(done.stdout)
        return {"problem": answer["error"]["problems"][0]["code"]} if "error" in answer else answer

    def preview(self, name: str, document: str, data: Answer) -> Preview:
        """What the editor's page shows of the text before it is saved."""
        actor = self.cast.actor("author")
        fields = {"document": document, "samples": {"one": data}, "sample": "one", "data": data, "target": "text"}
        return build_preview(actor, read_posted_state(actor, name, fields))


def find_problems(save: Callable[[], object]) -> set[str]:
    """The codes of the problems with which a save is refused; empty if it isn't."""
    try:
        save()
    except Invalid as error:
        return {problem.code for problem in error.problems}
    return set()


@pytest.fixture
def entry_points(server: str, cast: Cast):
    """The four ways, with the fragments that the documents name."""
    for address, document in varied_documents.FRAGMENTS.items():
        cast.save(document, name=address.replace("a/", "support/").removesuffix("@1"))
    with httpx.Client(timeout=60) as http:
        opened = EntryPoints(cast, server, http)
        yield opened
        opened.close()


def compare(entry_points: EntryPoints, name: str, document: str, data: Answer, target: Any) -> None:
    """Preview a document, save it and render it in three ways."""
    editor_preview = entry_points.preview(name, document, data)
    if not entry_points.save(name, document):
        assert any(problem.severity == "error" for problem in editor_preview.problems)
        return
    prompt, by_command = entry_points.ask_client(name, data), entry_points.ask_command(name, data, target)
    fields = {"template": name, "ref": "1", "data": data, "target": target}
    by_api = entry_points.ask_api(fields)
    assert by_api == by_command
    if by_api == SEVERAL and prompt != SEVERAL:
        by_api = entry_points.ask_api({**fields, "index": 0})
    assert by_api == (prompt.to_dict(target) if isinstance(prompt, Prompt) else prompt)
    entry_points.counts["stopped"] += "problem" in by_api
    if not editor_preview.placeholders and prompt != MISSING:
        compare_with_preview(editor_preview, prompt)
        entry_points.counts["previewed"] += 1


def compare_with_preview(shown: Preview, prompt: Prompt | Answer) -> None:
    """The preview shows the text and the cuts of the prompt, or is stopped by its problem."""
    if isinstance(prompt, Prompt):
        assert shown.stopped is None
        assert (shown.text, shown.cut) == (prompt.text, [cut.to_dict() for cut in prompt.cut])
        return
    assert shown.stopped is not None
    assert prompt in (SEVERAL, {"problem": shown.stopped.code})


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("part", range(PARTS))
def test_a_prompt_is_the_same_by_preview_api_client_and_command(entry_points, part, record_property):
    @seed(read_commit_seed() + part)
    @settings(max_examples=DOCUMENTS, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck))
    @given(documents, varied_documents.data(), st.sampled_from(("messages", "text", "tokens")))
    def run(document, data, target):
        entry_points.counts["documents"] += 1
        if entry_points.counts["documents"] % MAX_PER_KEY == 1:
            entry_points.renew_key()
        compare(
            entry_points,
            f"support/varied{entry_points.counts['documents']}",
            document,
            {**LOCAL_NAMES, **data[0]},
            target,
        )

    run()
    record_property("documents", DOCUMENTS)
    assert entry_points.counts["saved"] > DOCUMENTS / 2
    assert entry_points.counts["previewed"] > entry_points.counts["saved"] / 2
