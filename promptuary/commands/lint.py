"""`promptuary lint`: check documents and samples offline; only a missing vocabulary is fetched from a registry."""

from pathlib import Path
from typing import Annotated, Any

import typer

from promptuary import renderer
from promptuary.commands.api import vocabulary_source
from promptuary.commands.output import (
    FINDINGS,
    Json,
    Key,
    Url,
    UsageError,
    handle_errors,
    print_line,
    write_json,
    write_text,
)
from promptuary.renderer import Problem
from promptuary.renderer.document.parser import inspect_document
from promptuary.renderer.errors import RenderError
from promptuary.renderer.formats.fragments import resolve_fragments
from promptuary.renderer.tokens.vocabularies import VocabularySource
from promptuary.renderer.validation.standards import Standards, Subject, check_standards
from promptuary.workspace import Workspace, find_documents, read_document_text, read_samples, read_standards_file

__all__ = ["lint"]

Paths = Annotated[
    list[Path] | None,
    typer.Argument(help="Documents (*.yml.j2), or folders that contain them. Default: the current folder."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Fail on warnings too, not only on errors.")]
StandardsFile = Annotated[
    Path | None,
    typer.Option(
        "--standards", help="YAML file of standards to check. Default: the standards pulled with each namespace."
    ),
]


def lint(  # options of the command
    paths: Paths = None,
    strict: Strict = False,
    standards_file: StandardsFile = None,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Check documents and their samples offline, as the registry checks them.

    A vocabulary that is not installed is fetched from the registry if --url is given.
    """
    with handle_errors(as_json):
        documents = find_documents(paths or [Path()])
        if not documents:
            raise UsageError("no documents (*.yml.j2) found")
        standards = read_standards_file(standards_file) if standards_file else None
        with vocabulary_source(url, key) as source:
            results = [(path, _check(path, source, standards)) for path in documents]
    failing = ("error", "warning") if strict else ("error",)
    failed = any(problem.severity in failing for _, problems in results for problem in problems)
    if as_json:
        write_json({"ok": not failed, "files": [_to_dict(path, problems, url) for path, problems in results]})
    else:
        _print_problems(results, url)
    if failed:
        raise typer.Exit(FINDINGS)


def _check(path: Path, source: VocabularySource | None, standards: Standards | None) -> list[Problem]:
    """Check a document. standards: those to check; None for those pulled for its namespace, if any."""
    workspace = Workspace.around(path)
    fragments = workspace.read_fragments() if workspace else {}
    text, samples = read_document_text(path), read_samples(path)
    problems = renderer.validate(text, samples, fragments=fragments, vocabularies=source)
    name = workspace.find_name(path) if workspace else None
    if standards is None and workspace is not None and name is not None:
        standards = workspace.find_standards(name.partition("/")[0])
    document, _ = inspect_document(text)
    if standards is None or document is None:
        return problems
    try:
        included = list(resolve_fragments(document, fragments).values())
    except RenderError:  # a fragment is missing, which is reported as a problem
        included = []
    exists = workspace is not None and name in workspace.read_pulled()
    subject = Subject(document, name.partition("/")[2] if name else None, exists, list(samples), included)
    problems += check_standards(standards, subject)
    return sorted(problems, key=lambda problem: (problem.line, problem.column, problem.code, problem.message))


def _to_dict(path: Path, problems: list[Problem], url: str) -> dict[str, Any]:
    described = [
        {**problem.to_dict(), **({"help_url": _build_help_url(url, problem.code)} if url else {})}
        for problem in problems
    ]
    return {"path": str(path), "problems": described}


def _build_help_url(url: str, code: str) -> str:
    return f"{url.rstrip('/')}/help/problems/{code}"


def _print_problems(results: list[tuple[Path, list[Problem]]], url: str) -> None:
    for path, problems in results:
        for problem in problems:
            where = f"{path}:{problem.line}:{problem.column}"
            write_text(f"{where}: {problem.severity} {problem.code} {problem.message}\n")
            if problem.fix:
                write_text(f"    fix: {problem.fix.title}\n")
    counts = {severity: _count(results, severity) for severity in ("error", "warning", "note")}
    totals = ", ".join(f"{count} {severity}{'s' if count != 1 else ''}" for severity, count in counts.items() if count)
    print_line(f"{len(results)} document{'s' if len(results) != 1 else ''}: {totals or 'no problems'}")
    if url:
        for code in sorted({problem.code for _, problems in results for problem in problems}):
            print_line(f"{code} is explained at {_build_help_url(url, code)}")


def _count(results: list[tuple[Path, list[Problem]]], severity: str) -> int:
    return sum(problem.severity == severity for _, problems in results for problem in problems)
