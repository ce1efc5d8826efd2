"""The examples on the reference pages for shaping, prompters and the judge run and produce what they show."""

import doctest
import re
from pathlib import Path

import pytest

from promptuary import renderer
from promptuary.renderer.formats.prompter.format import KEYS

PAGES = Path(__file__).parents[2] / "docs" / "reference"
NAMES = ("shaping", "prompters", "judge")


def page(name: str) -> str:
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_the_python_examples_give_what_they_show(name):
    source = page(name).replace("\n```", "\n\n```")
    parsed = doctest.DocTestParser().get_doctest(source, {}, name, f"{name}.md", 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(parsed)
    assert parsed.examples
    assert runner.summarize(verbose=False).failed == 0


DOCUMENTS = [text for name in NAMES for text in re.findall(r"```\n(---\n.*?)```", page(name), re.DOTALL)]


@pytest.mark.parametrize("text", DOCUMENTS, ids=range(len(DOCUMENTS)))
def test_the_documents_shown_have_no_problems(text):
    assert renderer.validate(text) == []


def test_the_custom_prompter_shown_renders():
    (body,) = re.findall(r"```\n(kind: custom\n.*?)```", page("prompters"), re.DOTALL)
    prompt = renderer.load(f"---\nformat: prompter\n---\n{body}").render({"mood": "kind", "q": "hello"})
    assert "Your task: Be kind." in prompt.text


@pytest.mark.parametrize("key", KEYS)
def test_every_key_of_a_prompter_is_explained(key):
    assert f"`{key}`" in page("prompters")
