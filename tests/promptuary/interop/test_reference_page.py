"""The commands on the import and export page work as documented: they are run as written."""

import json
import re
import shlex
from pathlib import Path

import pytest

from promptuary import renderer
from promptuary.renderer.interop import reading

PAGE = Path(__file__).parents[3] / "docs/reference/import-export.md"
STEP = re.compile(
    r"^cat > (?P<file>\S+) <<'END'\n(?P<text>.*?)^END$|^promptuary (?P<command>[^\n]*)$", re.MULTILINE | re.DOTALL
)


def test_the_commands_on_the_reference_page_run_as_written(run):
    said = []
    page = re.sub(r"^<!-- not run: [^\n]*-->\n```sh\n.*?^```", "", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    for block in re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        for step in STEP.finditer(block):
            if step["file"]:
                Path(step["file"]).write_text(step["text"])
                continue
            result = run(*shlex.split(step["command"], comments=True))
            assert result.exit_code == 0, f"{step['command']}: {result.stderr}"
            said.append(result.stderr)
    assert len(said) == 11
    assert [words in told for words, told in zip(["would be new", "new", "unchanged"], said, strict=False)] == [
        True
    ] * 3
    check_files()


EXAMPLES = re.findall(
    r"^`(\S+)`, read as `([\w-]+)`:\n\n```text\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize(("path", "source_format", "text"), EXAMPLES, ids=[example[1] for example in EXAMPLES])
def test_each_example_comes_in_as_the_format_that_the_page_names(path, source_format, text):
    templates = reading.read_templates(path, text.encode())
    assert {template.source_format for template in templates} == {source_format}


def test_the_page_shows_an_example_of_each_format():
    # The last is read only if somebody chooses it, so that no text is an example of it.
    shown = {example[1] for example in EXAMPLES} | {"haystack", "langfuse", "mlflow", "prompt-poet", "labelled-turns"}
    assert shown == {entry.name for entry in reading.FORMATS}


def check_files():
    data = {"query": "Why?", "documents": [{"content": "Tea"}]}
    texts = [Path(f"support/{name}.yml.j2").read_text() for name in ("deepset/question-answering", "again")]
    first, again = (renderer.load(text).render(data).text for text in texts)
    assert first == again
    prompt = renderer.load(Path("greet.yml.j2").read_text()).render({"question": "Where is my parcel?"})
    assert json.loads(Path("marked.jsonl").read_text().splitlines()[0]) == {"text": prompt.text + "On its way."}
    line = json.loads(Path("messages.jsonl").read_text().splitlines()[0])
    assert line["messages"] == [*prompt.messages, {"role": "assistant", "content": "On its way."}]
    assert json.loads(Path("greet.json").read_text())["config"] == {"model": "gpt-4o", "temperature": 0.2}
