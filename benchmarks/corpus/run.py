"""Imports each file of the frozen corpus, compares what comes out with what its library prints, and writes the report.

    python -m benchmarks.corpus.run FOLDER [PACKAGE] [--report docs/reference/imports-corpus.md] [-v]

An import succeeds if every prompt that the importer finds prints the same text as the library with the same made-up
values, and if it finds every long text that the file calls a prompt. A slot that stays text is a failure.
"""

import argparse
import ast
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import jinja2
import yaml

from benchmarks.corpus.freeze import fetch_corpus
from benchmarks.corpus.oracles import evaluate_field, evaluate_module, infer_data, make_text, render_as_library
from promptuary import renderer
from promptuary.renderer.interop.imported import ImportedTemplate
from promptuary.renderer.interop.reading import read_files

__all__ = ["check_file"]

# The template language in which each package's code renders its texts; the others are detected from the text.
LANGUAGES = {
    "aider-chat": "format",
    "autorag": "double",
    "cognee": "jinja",
    "deepeval": "jinja",
    "evals": "format",
    "griptape": "jinja-trimmed",
    "lazyllm": "jinja",
    "lm-eval": "jinja-keep",
    "marvin": "jinja-trimmed",
    "metagpt": "numbered",
    "mini-swe-agent": "jinja",
    "nemoguardrails": "jinja",
    "pandasai": "jinja",
    "r2r": "format",
    "smolagents": "jinja",
}
# Formats that a person must choose because the text alone doesn't show them.
CHOSEN = {"cognee": "jinja", "deepeval": "jinja", "griptape": "jinja-trimmed", "marvin": "jinja-trimmed"}
_RENAMED = re.compile(r"`(?P<shown>.*?)` is the input `(?P<name>\w+)`")
_SHORT = 80  # characters; a shorter text in a YAML file needn't be a prompt


def check_file(package: str, path: str, content: bytes) -> str:
    """Why the file failed; empty if it was imported with the same texts."""
    source_format = CHOSEN.get(package, "") if path.endswith((".txt", ".jinja", ".j2")) else ""
    (result,) = read_files({path: content}, source_format) or [None]
    if result is None:
        return "no file that an import reads"
    if not result.templates:
        return f"refused: {f'line {result.line}: ' if result.line else ''}{result.refusal}"
    left_out = [d for template in result.templates for d in template.differences if " is left out: " in d.message]
    if left_out:
        return f"left out: {left_out[0]}"
    text = content.decode("utf-8-sig").replace("\r\n", "\n")
    language = LANGUAGES.get(package, "auto")
    if path.endswith(".py"):
        return _check_code(text, "auto", result.templates)
    if package == "lm-eval":
        return _check_task(text, result.templates[0])
    if path.endswith((".yaml", ".yml", ".json")):
        language = "auto" if package == "lazyllm" else language
        return _check_collection(text, language, result.templates)
    if result.templates[0].document == text:
        return ""
    return _check_texts([text], language, result.templates, ["the file"])


def _check_texts(texts: list[str], language: str, templates: tuple[ImportedTemplate, ...], labels: list[str]) -> str:
    expected: list[tuple[str, dict[str, Any]]] = []
    for label, text in zip(labels, texts, strict=True):
        try:
            expected.append(render_as_library(text, language))
        except (jinja2.TemplateError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            if len(texts) == 1:
                return (
                    f"the library's own rendering fails with made-up values: {type(error).__name__}: {error}"[:200]
                    + f" ({label})"
                )
            expected.append((text, {}))
    matched = set()
    for template in templates:
        is_rendered = False
        for number, (text, data) in enumerate(expected):
            contents = _render(template, _rename_values(template, data))
            if contents == [text]:
                is_rendered = True
                matched.add(number)
        if not is_rendered and not _matches_parts(template, expected, matched):
            printed = _render(template, _rename_values(template, expected[0][1]))
            return f"not the same text: {template.name}: {printed!s:.300}"
    missing = [labels[n] for n, (text, _) in enumerate(expected) if n not in matched and len(text) > _SHORT]
    return f"not found: {', '.join(missing[:3])}" if missing else ""


def _matches_parts(template: ImportedTemplate, expected: list[tuple[str, dict[str, Any]]], matched: set[int]) -> bool:
    """Whether each part of a template prints one of the expected texts."""
    together: dict[str, Any] = {}
    for _, data in expected:
        together |= data
    contents = _render(template, _rename_values(template, together))
    if not isinstance(contents, list):
        return False
    for content in contents:
        numbers = [number for number, (text, _) in enumerate(expected) if text == content]
        if not numbers:
            return False
        matched.update(numbers)
    return True


def _check_collection(text: str, language: str, templates: tuple[ImportedTemplate, ...]) -> str:
    labelled = list(_list_texts(yaml.load(text, Loader=yaml.BaseLoader), ""))  # noqa: TID251 - the library's own view
    return _check_texts([leaf for _, leaf in labelled], language, templates, [label for label, _ in labelled])


def _list_texts(value: Any, path: str) -> Any:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _list_texts(item, f"{path}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _list_texts(item, f"{path}.{number}")


class _TaskLoader(yaml.SafeLoader):
    """Loads a task as lm-eval does, with functions as None."""


_TaskLoader.add_constructor("!function", lambda loader, node: None)


def _check_task(text: str, template: ImportedTemplate) -> str:
    task = yaml.load(text, Loader=_TaskLoader)  # noqa: TID251 - the library's own view
    column = task["doc_to_text"]
    question = f"{{{{ {column} }}}}" if re.fullmatch(r"\w+", column) else column
    return _check_texts([(task.get("description") or "") + question], "jinja-keep", (template,), ["doc_to_text"])


def _check_code(text: str, language: str, templates: tuple[ImportedTemplate, ...]) -> str:
    texts, expected_texts, names = evaluate_module(text, language)
    module = ast.parse(text)
    known = set(texts)
    rendered: set[str] = set()
    for template in templates:
        contents = _render(template, _make_code_data(template, names, module))
        if not isinstance(contents, list):
            return f"{template.name}: {contents}"
        rendered.update(contents)
        if unknown := [content for content in contents if content not in known]:
            return f"not the same text: {template.name}: {unknown[0]!r:.300}"
    missing = [name for name, expected in expected_texts if expected not in rendered]
    return f"not found: {', '.join(missing[:3])}" if missing else ""


def _make_code_data(template: ImportedTemplate, names: Any, module: ast.Module) -> dict[str, Any]:
    """Made-up values for the inputs of a template: by name, by path, or by the expression that they replace."""
    data = infer_data(template.document)
    renamed = {match["shown"]: match["name"] for d in template.differences if (match := _RENAMED.match(d.message))}
    if not renamed:
        return data
    for written, name in renamed.items():
        if plain_name := re.fullmatch(r"\{(\w+)\}", written):
            data[name] = make_text(plain_name[1])
    for node in ast.walk(module):
        if isinstance(node, ast.FormattedValue):
            source = ast.unparse(ast.JoinedStr([node]))[2:-1]
            plain = f"{{{ast.unparse(node.value)}}}"
            for written in (source[:80], plain[:80]):
                if written in renamed:
                    data[renamed[written]] = evaluate_field(node, names)
        elif isinstance(node, ast.expr):
            written = f"{{{ast.unparse(node)}}}"[:80]
            if written in renamed:
                data[renamed[written]] = make_text(ast.unparse(node))
    return data


def _rename_values(template: ImportedTemplate, data: dict[str, Any]) -> dict[str, Any]:
    """The values under the names that the importer gave them."""
    named = dict(data)
    for difference in template.differences:
        match = _RENAMED.match(difference.message)
        if match:
            expression = match["shown"].strip("{}<>!$ ")
            if match["name"] not in data and not re.search(r"\W", expression):
                named[match["name"]] = data.get(expression, make_text(expression))
            elif match["name"] not in data:
                named[match["name"]] = _render_expression(expression, data)
    return named


def _render_expression(expression: str, data: dict[str, Any]) -> str:
    """What a library's own expression prints, with filters that only the library has."""
    try:
        return render_as_library(f"{{{{ {expression} }}}}", "jinja")[0] if "|" in expression else make_text(expression)
    except (jinja2.TemplateError, TypeError, ValueError):
        return make_text(expression)


def _render(template: ImportedTemplate, data: dict[str, Any]) -> list[str] | str:
    """The texts of the parts, or the error's message if rendering fails."""
    try:
        prompt = renderer.load(template.document).render(_to_plain(data), token_limit=-1)
    except renderer.RenderError as error:
        return error.message
    return [str(part.content) for part in prompt.parts]


def _to_plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _to_plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_to_plain(item) for item in value]
    return str(value) if isinstance(value, str) else value


def main() -> None:
    """Check the corpus, print each failure and the totals, and write the report if requested."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("package", nargs="?", help="only this package")
    parser.add_argument("--report", type=Path)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    reasons: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    pairs = [(row, path) for row, path in fetch_corpus(options.folder) if options.package in (None, row["package"])]
    for number, (row, path) in enumerate(pairs, start=1):
        reason = check_file(row["package"], row["path"], path.read_bytes())
        reasons[row["package"], row["version"]].append((row["path"], reason))
        if reason and options.verbose:
            print(f"{row['package']} {row['path']}: {reason}")
        if number % 50 == 0:
            print(f"{number} of {len(pairs)}", file=sys.stderr)
    total = sum(len(entries) for entries in reasons.values())
    same = sum(not reason for entries in reasons.values() for _, reason in entries)
    for (package, _), entries in reasons.items():
        print(f"{package}: {sum(not reason for _, reason in entries)} of {len(entries)}")
    print(f"{same} of {total} files were imported with the same text ({same / total:.1%})")
    if options.report:
        options.report.write_text(_write_report(reasons, same, total))


def _write_report(reasons: dict[tuple[str, str], list[tuple[str, str]]], same: int, total: int) -> str:
    lines = [
        "# Imports: the corpus\n",
        f"{total} prompt files of {len(reasons)} public packages, frozen before the importers were written "
        "(`benchmarks/corpus/manifest.csv`: package, version, path, sha256).",
        f"**{same} of {total} ({same / total:.0%})** were imported with the same text.\n",
        "An import succeeds if each prompt found in the file prints, with the same made-up values, what its library",
        "prints: Jinja itself, `str.format`, or Python for the texts of code. A slot that stays text counts as a",
        "failure, and so does a long text that the file calls a prompt and that the import does not find. A text",
        "doesn't show that Jinja drops its last line end, or which whitespace options its program sets; so the format",
        "of " + ", ".join(sorted(CHOSEN)) + " was chosen with `--from`, as a person would. This page is written by",
        "`python -m benchmarks.corpus.run FOLDER --report docs/reference/imports-corpus.md`.\n",
        "| package | version | files | same text | failures |",
        "| --- | --- | --- | --- | --- |",
    ]
    for (package, version), entries in sorted(reasons.items()):
        kinds = Counter(reason.partition(":")[0] for _, reason in entries if reason)
        failures = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        good = sum(not reason for _, reason in entries)
        lines.append(f"| {package} | {version} | {len(entries)} | {good} | {failures} |")
    lines += ["\n## Failures\n", "| file | reason |", "| --- | --- |"]
    for (package, _), entries in sorted(reasons.items()):
        for path, reason in entries:
            if reason:
                plain = re.sub(r"\s+", " ", reason)[:160].replace("|", "\\|").replace("{{", "{ {")
                lines.append(f"| {package}: `{path}` | {plain} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
