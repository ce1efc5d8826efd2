"""Writes the generated tables of the reference pages again from what they describe.

    .venv/bin/python docs/generate_reference.py          write the pages
    .venv/bin/python docs/generate_reference.py --check  write nothing; exit with 1 if a page is not up to date

A table stands between `<!-- generated: NAME -->` and `<!-- end -->`; everything around it is written by hand.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))  # if this file is loaded by a test

import benchmark_charts  # noqa: E402
import program_tables  # noqa: E402

__all__ = ["TABLES", "list_outdated_pages", "write_tables"]

ROOT = DOCS.parent
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
    "0": "Standards of the namespace",
}


def list_problems() -> str:
    """A table of codes for each subject, from the heads of the problem pages."""
    groups: dict[str, list[str]] = {}
    for path in sorted((DOCS / "problems").glob("PT*.md")):
        title, severity = re.findall(r"\A# PT\d+: (.+)\n\nSeverity: (.+)\.\n", path.read_text(encoding="utf-8"))[0]
        row = f"| [{path.stem}](../problems/{path.name}) | {title} | {severity} |"
        groups.setdefault(path.stem[2], []).append(row)
    head = "| code | what it means | severity |\n| --- | --- | --- |\n"
    return "\n".join(f"## {subject}\n\n{head}" + "\n".join(groups[digit]) + "\n" for digit, subject in SUBJECTS.items())


def list_decisions() -> str:
    """The titles of the pages on decisions, with links to them."""
    pages = sorted((DOCS / "decisions").glob("[0-9]*.md"))
    titles = [page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for page in pages]
    return "\n".join(f"- [{title}]({page.name})" for page, title in zip(pages, titles, strict=True))


READERS = {
    "read_text": "text",
    "read_bool": "true or false",
    "read_choice": "one of several words",
    "read_issuer": "address",
    "read_int": "whole number",
    "read_list": "list, separated by commas",
    "read_path": "path",
    "read_url": "address, or a file with it (`…_FILE`)",
    "read_secret": "secret, or a file with it (`…_FILE`)",
    "read_optional_secret": "secret, or a file with it (`…_FILE`)",
}


INTERNAL = {"PROMPTUARY_RENDER_SOCKET", "PROMPTUARY_REPLY_SOCKET"}  # `serve` sets it for its own processes


def list_settings() -> str:
    """A table of the environment's variables: what the code reads, and what the pages for operators say of each."""
    meanings = _read_meanings()
    rows = []
    for call in _find_calls("registry"):
        reader, arguments = _read_name(call), [_read_constant(argument) for argument in call.args]
        if reader in READERS and arguments and arguments[0] and arguments[0] not in INTERNAL:
            if arguments[0] not in meanings:
                raise LookupError(f"no table below docs/operate explains {arguments[0]}")
            rows.append(f"| `{arguments[0]}` | {READERS[reader]} | {meanings[str(arguments[0])]} |")
    return "| variable | kind | meaning |\n| --- | --- | --- |\n" + "\n".join(sorted(set(rows)))


def _read_meanings() -> dict[str, str]:
    """Where the pages for operators explain each variable: a link to the page, by the variable's name."""
    found: dict[str, str] = {}
    for path in (DOCS / "operate").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        title = text.partition("\n")[0].removeprefix("# ")
        for row in re.findall(r"^\| (`[A-Z].*)\|$", text, re.MULTILINE):
            names, *_, meaning = [cell.strip() for cell in row.split(" | ")]
            first = ""
            for name in re.findall(r"`([A-Z_]+)`", names):
                full = name if not name.startswith("_") else first.rpartition("_")[0] + name
                first = first or full
                found.setdefault(full, f"{_remove_links(meaning)} ([{title}](../operate/{path.name}))")
    return found


def _remove_links(text: str) -> str:
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)


def list_events() -> str:
    """A table of the kinds of events with their fields, those of their base classes among them, from the classes."""
    files = [*sorted((ROOT / "registry").glob("*/*events.py")), ROOT / "registry/journal/event.py"]
    modules = [_read_classes(path) for path in files]
    imported = {name: node for classes in modules for name, node in classes.items()}
    rows = []
    for classes in modules:
        for node in classes.values():
            if kind := _find_kind(node):
                sentence = (ast.get_docstring(node) or "").partition("\n\n")[0].replace("\n", " ")
                # The names of base classes are unique within a module only.
                rows.append(f"| `{kind}` | {sentence} | {', '.join(_list_fields(node, imported | classes))} |")
    return "| kind | when | fields |\n| --- | --- | --- |\n" + "\n".join(sorted(rows))


def _read_classes(path: Path) -> dict[str, ast.ClassDef]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}


def _list_fields(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> list[str]:
    inherited = [classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    fields = [field for base in inherited for field in _list_fields(base, classes)]
    return fields + [
        field for item in node.body if isinstance(item, ast.AnnAssign) and (field := _describe_field(item))
    ]


def _find_kind(node: ast.ClassDef) -> str:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and _read_name(decorator) == "event" and decorator.args:
            return str(_read_constant(decorator.args[0]))
    return ""


def _describe_field(item: ast.AnnAssign) -> str:
    if "ClassVar" in ast.unparse(item.annotation) or ast.unparse(item.target).startswith("_"):
        return ""
    name, has_default = ast.unparse(item.target), item.value is not None
    if isinstance(item.value, ast.Call) and _read_name(item.value) == "json_name":
        name = str(_read_constant(item.value.args[0]))
        has_default = any(keyword.arg == "default" for keyword in item.value.keywords)
    return f"`{name}`" + (" (optional)" if has_default else "")


FIGURES = {"Total": "counter", "Counter": "counter", "Histogram": "histogram", "GaugeMetricFamily": "gauge"}


def list_metrics() -> str:
    """A table of the figures for Prometheus that the product adds, from where they are declared."""
    rows = []
    for call in _find_calls("registry"):
        values = [_read_constant(argument) for argument in call.args]
        name = str(values[0]) if values else ""
        if _read_name(call) in FIGURES and name.startswith("promptuary_"):
            total = "_total" if FIGURES[_read_name(call)] == "counter" else ""
            rows.append(f"| `{name}{total}` | {FIGURES[_read_name(call)]} | {values[1]} |")
    return "| figure | kind | meaning |\n| --- | --- | --- |\n" + "\n".join(sorted(rows))


def list_packages() -> str:
    """A table of the packages of each of our folders, from the first paragraph of their docstrings."""
    tables = []
    for folder in ("registry", "frontend", "renderer"):
        rows = []
        for path in sorted((ROOT / folder).glob("*/__init__.py")):
            if docstring := ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))):
                sentence = docstring.partition("\n\n")[0].replace("\n", " ")
                rows.append(f"| `{folder}/{path.parent.name}/` | {sentence} |")
        tables.append("\n".join(["| package | what it is |", "| --- | --- |", *rows]))
    return "\n\n".join(tables)


def _find_calls(folder: str) -> Iterator[ast.Call]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield node


def _read_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _read_constant(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else ""


TABLES: dict[str, Callable[[], str]] = {
    "problems": list_problems,
    "decisions": list_decisions,
    "settings": list_settings,
    "events": list_events,
    "metrics": list_metrics,
    "packages": list_packages,
    "commands": program_tables.list_commands,
    "server-commands": program_tables.list_server_commands,
    "operations": program_tables.list_operations,
    "functions": program_tables.list_functions,
    "filters": program_tables.list_filters,
    **{
        f"benchmark-{chart['name']}": partial(benchmark_charts.list_figures, chart)
        for chart in benchmark_charts.read_charts()
    },
}


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
