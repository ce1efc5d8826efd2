"""What importing the package costs, and what it exports."""

import ast
import subprocess
import sys

import pytest

import promptuary


@pytest.mark.parametrize("module", ["promptuary", "promptuary.client", "promptuary._http_transport"])
def test_importing_the_client_loads_neither_evaluation_nor_the_command_line(module):
    ours = "'promptuary.commands', 'promptuary.evaluation', 'promptuary.workspace'"
    heavy = f"{{{ours}, 'typer', 'rich', 'click', 'django', 'httpx', 'asyncio', 'tokenizers', 'jsonschema'}}"
    code = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


SHORT = r"""
import sys
from promptuary import FakeTransport, Promptuary

registry = FakeTransport()
registry.put("s/r", "---\ntoken_limit: 6000\n---\n- name: q\n  content: '{{ question }}'\n", "production")
client = Promptuary("https://registry.test", "key", transport=registry, reports=False)
prompt = client.render("s/r", {"question": "Why?"})
assert prompt.messages == [{"role": "user", "content": "Why?"}]
tokens = "promptuary.renderer.tokens"
heavy = {"asyncio", "gzip", "importlib.resources", "jsonschema", "tokenizers"}
print(sorted((heavy | {f"{tokens}.tokenizers", f"{tokens}.vocabularies", f"{tokens}.bpe_tables"}) & set(sys.modules)))
"""


def test_a_first_rendering_that_surely_fits_loads_neither_the_code_of_tokenizers_nor_an_event_loop():
    done = subprocess.run([sys.executable, "-c", SHORT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_all_that_is_exported_exists():
    assert sorted(promptuary.__all__) == promptuary.__all__
    assert all(hasattr(promptuary, name) for name in promptuary.__all__)


def test_every_error_is_a_promptuary_error():
    exported = [getattr(promptuary, name) for name in promptuary.__all__]
    errors = [item for item in exported if isinstance(item, type) and issubclass(item, Exception)]
    assert len(errors) == 11
    assert all(issubclass(error, promptuary.PromptuaryError) for error in errors)


@pytest.mark.parametrize("module", ["promptuary", "promptuary.renderer", "promptuary.renderer.template"])
def test_importing_the_renderer_does_not_load_the_client(module):
    code = f"import sys, {module}; print(sorted(name for name in sys.modules if name.startswith('promptuary.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ast.literal_eval(done.stdout))
    assert {name for name in loaded if not name.startswith("promptuary.renderer")} == {"promptuary.version"}
    assert "httpx" not in loaded


def test_a_misspelt_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'promptuary' has no attribute 'Promtuary'"):
        promptuary.Promtuary  # type: ignore[attr-defined]  # noqa: B018


def test_dir_names_all_that_is_exported():
    assert set(promptuary.__all__) <= set(dir(promptuary))
