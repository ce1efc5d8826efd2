"""What the client's reference page says about tests of a service works as written."""

import re
from pathlib import Path
from typing import Any

from promptuary.commands.app import app

PAGE = Path(__file__).parents[2] / "docs/reference/sdk.md"


def test_the_test_on_the_reference_page_passes() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    block = next(block for block in blocks if "def test_" in block)
    names: dict[str, Any] = {}
    exec(block, names)
    names["test_the_reply_asks_politely"]()


def test_every_command_stands_on_the_reference_page():
    page = PAGE.with_name("cli.md").read_text()
    assert all(f"| `{command.name}" in page for command in app.registered_commands)
