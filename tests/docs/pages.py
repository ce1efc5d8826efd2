"""The pages of the documentation as programs: which of their code blocks are run, and as what.

A block is run unless its language is `text`, or a comment right above it says what happens to it:

    <!-- not run: why not -->
    <!-- run by tests/… -->          another test runs it

A block with a title is a file in the page's folder. `sh` runs in one bash for the whole page; `python` and `js` without
a title run by themselves. `<!-- step: approve -->` does what the page asks a person to do in a browser.
"""

import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.markdown_blocks import CodeBlock, read_blocks

__all__ = ["ROOT", "all_pages", "explain_block", "list_run_pages", "write_program"]

ROOT = Path(__file__).parents[2]
RUN_LANGUAGES = {"sh", "python", "js"}
_STEP = re.compile(r"^<!-- step: (\w+) -->$", re.MULTILINE)
STEPS = {"approve"}


def all_pages() -> list[Path]:
    """All pages of the documentation except those of problem codes, whose examples have their own test."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(page for page in pages if page.parent.name != "problems")]


def explain_block(block: CodeBlock) -> str:
    """`run`, `file`, `text`, `elsewhere` or `not run`; an empty text for a block that nothing explains."""
    if block.comment.startswith("not run: "):
        return "not run"
    if block.comment.startswith("run by "):
        return "elsewhere"
    if block.title:
        return "file"
    if block.language == "text":
        return "text"
    return "run" if block.language in RUN_LANGUAGES else ""


def list_run_pages() -> list[Path]:
    """The pages with a block that is run here."""
    return [page for page in all_pages() if any(explain_block(block) == "run" for block in read_blocks(page))]


@dataclass(frozen=True)
class _Piece:
    line: int
    text: str


def write_program(page: Path, url: str) -> str:
    """The page as one bash program; `url` stands for the address that the page names."""
    pieces = sorted([*_blocks(page, url), *_steps(page)], key=lambda piece: piece.line)
    return "\n".join(["trap 'kill $(jobs -p) 2>/dev/null || true' EXIT", *(piece.text for piece in pieces)])


def _blocks(page: Path, url: str) -> Iterator[_Piece]:
    for block in read_blocks(page):
        kind = explain_block(block)
        text = block.text.replace("http://127.0.0.1:8000", url)
        if kind == "file":
            folder = str(Path(block.title).parent)
            text = (
                f"mkdir -p {shlex.quote(folder)}\ncat > {shlex.quote(block.title)} <<'END OF FILE'\n{text}END OF FILE"
            )
        elif kind != "run":
            continue
        elif block.language == "python":
            text = f"{shlex.quote(sys.executable)} - <<'END OF FILE'\n{text}END OF FILE"
        elif block.language == "js":
            text = f"node --input-type=module - <<'END OF FILE'\n{text}END OF FILE"
        yield _Piece(block.line, f"echo '== line {block.line}' >&2\n{text}")


def _steps(page: Path) -> Iterator[_Piece]:
    source = page.read_text(encoding="utf-8")
    for match in _STEP.finditer(source):
        if match[1] not in STEPS:
            raise ValueError(f"{page.name} has an unknown step: {match[1]}")
        program = shlex.join([sys.executable, "-m", f"tests.docs.{match[1]}"])
        yield _Piece(source.count("\n", 0, match.start()) + 1, f"(cd {shlex.quote(str(ROOT))} && {program})")
