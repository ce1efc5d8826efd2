"""An f-string of Python code becomes a shaped document that renders to the same bytes."""

from pathlib import Path
from typing import Any

import pytest

from promptuary import renderer
from promptuary.renderer.interop import python_source, reading
from promptuary.renderer.interop.imported import LossError

SEED = Path(__file__).resolve().parents[4] / "shared/seeds/003_e5904d266ecc2c21.txt"
SOURCE = (
    'def ask_it(question):\n    prompt = f"""Say \\"{question}\\" as {{"a": 1}},\\n\\\\n, \\\n'
    'and \'\'"""\n    return prompt\n'
)


def test_it_renders_to_what_python_makes_of_it():
    (found,) = python_source.read_python_prompt(SOURCE, "file")
    names: dict[str, Any] = {}
    exec(SOURCE, names)  # our own source, above
    assert found.name == "ask-it"
    assert renderer.load(found.document).render({"question": "Wh{y}?"}).text == names["ask_it"]("Wh{y}?")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ('p = f"""{a.b}"""', "more than a name"),
        ('p = f"""{a!r}"""', "more than a name"),
        ('p = f"""\\x41 {a}"""', "another meaning"),
        ('p = f"""{a}', "never closed"),
        ('p = """{a}"""', "no f-string"),
    ],
)
def test_source_that_would_render_differently_is_refused(source, why):
    with pytest.raises(LossError, match=why):
        list(python_source.read_python_prompt(source, "file"))


@pytest.mark.skipif(not SEED.exists(), reason="the seed document lies beside the repository, not in it")
def test_the_judges_prompt_is_imported_byte_for_byte():
    (template,) = reading.read_templates(SEED.name, SEED.read_bytes())
    assert template.source_format == "python"
    text = SEED.read_text(encoding="utf-8")
    code = "def create_prompt(documents, question, response):\n " + text[text.index('prompt = f"""') :].replace(
        "\nreturn prompt", "\n return prompt"
    )
    names: dict[str, Any] = {}
    exec(code, names)
    values = {"documents": "0a. Tea {x}", "question": "Wh{y}?", "response": 'a. "Yes" \\n'}
    assert template.name == "create-prompt"
    assert renderer.load(template.document).render(values).text == names["create_prompt"](**values)
