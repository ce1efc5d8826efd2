"""Writes the generated tables of the reference pages again from what they describe.

    .venv/bin/python docs/generate_reference.py          write the pages
    .venv/bin/python docs/generate_reference.py --check  write nothing; exit with 1 where a page is not up to date

A table stands between `<!-- generated: NAME -->` and `<!-- end -->`; everything around it is written by hand.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

__all__ = ["TABLES", "list_outdated_pages", "write_tables"]

DOCS = Path(__file__).resolve().parent
PLACE = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)

SUBJECTS = {
    "1": "The text, its YAML and its front matter",
    "2": "The template language",
    "3": "Parts",
    "4": "Inputs and data",
    "5": "Fragments",
    "6": "Tokens, limits and profiles",
    "7": "Secrets and bounds",
    "8": "Reading replies",
    "9": "The formats shaped and prompter",
}


def list_problems() -> str:
    """A table of codes for each subject, from the heads of the problem pages."""
    groups: dict[str, list[str]] = {}
    for path in sorted((DOCS / "problems").glob("PT*.md")):
        title, severity = re.findall(r"\A# PT\d+: (.+)\n\nSeverity: (.+)\.\n", path.read_text(encoding="utf-8"))[0]
        row = f"| [{path.stem}](../problems/{path.name}) | {title} | {severity} |"
        groups.setdefault(path.stem[2], []).append(row)
    head = "| code | what it means | severity |\n| --- | --- | --- |\n"
    return "\n".join(f"## {SUBJECTS[digit]}\n\n{head}" + "\n".join(rows) + "\n" for digit, rows in groups.items())


TABLES: dict[str, Callable[[], str]] = {"problems": list_problems}


def write_tables(text: str) -> str:
    """The text of a page with each of its tables made again. Raises KeyError for a table of an unknown name."""
    return PLACE.sub(lambda match: f"{match[1]}\n{TABLES[match[2]]().strip()}\n\n{match[3]}", text)


def list_outdated_pages(*, write: bool) -> list[Path]:
    """The pages whose tables differ from what they describe; with `write` they are written."""
    outdated = []
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if (written := write_tables(text)) != text:
            outdated.append(path)
            if write:
                path.write_text(written, encoding="utf-8")
    return outdated


if __name__ == "__main__":
    check = "--check" in sys.argv[1:]
    pages = list_outdated_pages(write=not check)
    sys.stdout.writelines(f"{page.relative_to(DOCS)}\n" for page in pages)
    sys.exit(1 if check and pages else 0)
