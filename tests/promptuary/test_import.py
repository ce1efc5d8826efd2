"""What importing the package costs, and what it exports."""

import subprocess
import sys

import pytest

import promptuary


@pytest.mark.parametrize("module", ["promptuary", "promptuary.client"])
def test_importing_the_client_loads_neither_evaluation_nor_the_command_line(module):
    ours = "'promptuary.commands', 'promptuary.evaluation', 'promptuary.workspace'"
    heavy = f"{{{ours}, 'typer', 'rich', 'click', 'django', 'httpx'}}"
    code = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_all_that_is_exported_exists():
    assert sorted(promptuary.__all__) == promptuary.__all__
    assert all(hasattr(promptuary, name) for name in promptuary.__all__)


def test_every_error_is_a_promptuary_error():
    errors = [item for item in vars(promptuary).values() if isinstance(item, type) and issubclass(item, Exception)]
    assert len(errors) == 11
    assert all(issubclass(error, promptuary.PromptuaryError) for error in errors)
