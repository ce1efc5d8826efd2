"""Prompts of other systems, read in a bounded child."""

import pytest

from promptuary.renderer.errors import LimitError
from promptuary.renderer.interop.reading import read_files
from promptuary.renderer.isolation.renderer import BoundedRenderer
from tests.renderer.interop.test_read_files import zipped


@pytest.fixture(scope="module")
def bounded():
    renderer = BoundedRenderer(cpu_seconds=10)
    yield renderer
    renderer.close()


def test_a_child_reads_what_the_caller_would(bounded):
    code = b'PROMPT = f"""Answer the question {len(text)} from the context that stands below, please."""\n'
    chat = b'[{"role": "user", "content": "Hi {name}"}]'
    jinja = b"{% for x in xs %}{{ x | colang }}{% endfor %}"
    files = {
        "a.py": code,
        "b.json": chat,
        "c.j2": jinja,
        "d.zip": zipped({"e.txt": "Hi $name", "ü.txt": "x"}),
        "f.json": b"{",
    }
    results = bounded.read_templates(files)
    assert results == read_files(files)
    assert any(template.differences for result in results for template in result.templates)


def test_a_file_that_takes_too_long_is_ended(bounded):
    nested = ("{% if a %}" * 400 + "{% endif %}" * 400).encode()
    with pytest.raises(LimitError):
        bounded.read_templates(dict.fromkeys((f"{n}.txt" for n in range(400)), nested), cpu_seconds=0.5)
