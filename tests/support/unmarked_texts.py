"""Finds texts of the pages that can't be translated because the sources don't mark them.

    python -m tests.support.unmarked_texts frontend/templates/frontend/browse frontend/browse frontend/src/app

In templates: text between tags, in attributes that are shown or read aloud, and in the arguments of our own tags. In
Python: phrases that are passed to an error or a message, or returned by a function, and whole sentences anywhere, such
as in a variable, a list or a `yield`; docstrings, log lines, API descriptions and Python's own exceptions are exempt.
In TypeScript: every text of two words or with a capital. A string that only looks like a text has the comment
`no text: <why>` on its line, in Python also on the line above. A file without texts has the line
`# no texts here: <why>`.
"""

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from frontend.locale import finding_sources

ROOT = Path(__file__).parents[2]
SPOKEN = {"title", "aria-label", "placeholder", "alt", "aria-description", "aria-roledescription", "data-confirm"}
NO_TEXTS_HERE = re.compile(r"^(?:#|{#) ?no texts here: \S", re.MULTILINE)
NO_TEXT = re.compile(r"(?:#|//|{#) ?no text: \S")
# Names, units and code, which are the same in every language.
SAME_EVERYWHERE = re.compile(
    r"Promptuary|sha256|JSON|YAML|CSV|JSONL|HTML|API|URL|SHA-256|Git|HEAD|UTC|Ctrl|Enter|Esc|Tab|Alt|ms|USD|Slack"
    r"|Microsoft Teams|v\d*"
)
# Code before literals that aren't shown: names of modules, classes, keys and selectors, and comparisons.
CODE_BEFORE = re.compile(
    r"\b(?:import|from|throw|console\.\w+)\b|\b(?:class|key): $|headers\.get\($|[!=]== $"
    r"|\b(?:closest|matches|querySelector\w*)(?:<\w+>)?\($"
)
# The names of stylesheets; a block inside another has its name at its end.
STYLESHEETS = re.compile(
    r"{% block (styles|page_styles) %}.*?{% endblock(?: \1)? %}|{% stylesheets %}.*?{% endstylesheets %}", re.DOTALL
)
STYLE = re.compile(r"\bvar\(--|^\.cm-")
CALLS = {"gettext", "ngettext", "gettext_lazy", "ngettext_lazy", "gettext_noop", "pgettext", "pgettext_lazy"}
TECHNICAL_FUNCTIONS = {"commit", "__str__", "__repr__"}  # their texts are for Git and for developers
LOG_CALLS = {"debug", "info", "warning", "error", "exception", "critical"}
API_DESCRIPTIONS = {"help_text", "description", "summary", "db_comment", "help"}
# A capital, a quote or a value ({}), then at least two more words, then a full stop.
SENTENCE = re.compile(r"(?=.*[a-z]{2})[A-Z{`'\"]\S*[,:;]? \S+ \S.*[.!?]['\"`]?", re.DOTALL)


class _Words(HTMLParser):
    """Collects the text that a reader sees, with its line."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[int, str]] = []
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("code", "pre", "kbd", "script", "style", "svg"):
            self._silent.append(tag)
        is_button = tag == "input" and dict(attrs).get("type") in ("submit", "button", "reset")
        for name, value in attrs:
            if name in SPOKEN or (is_button and name == "value"):
                self._note(value or "")

    def handle_endtag(self, tag: str) -> None:
        if self._silent and self._silent[-1] == tag:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._note(data)

    def _note(self, text: str) -> None:
        if re.search(r"[^\W\d_]{2}", SAME_EVERYWHERE.sub("", text)):
            before = len(text) - len(text.lstrip())
            self.found.append((self.getpos()[0] + text[:before].count("\n"), " ".join(text.split())))


def _blank_out(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "", found[0])


def find_in_template(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each unmarked text of a Django template."""
    lines = source.splitlines()
    source = re.sub(r"{% comment .*?{% endcomment %}|{#.*?#}", _blank_out, source, flags=re.DOTALL)
    source = re.sub(r"{% blocktranslate.*?{% endblocktranslate %}", _blank_out, source, flags=re.DOTALL)
    for tag in re.finditer(r"{%\s*(\w+)(.*?)%}|{{(.*?)}}", source, flags=re.DOTALL):
        yield from (
            (source.count("\n", 0, tag.start()) + 1, text)
            for text in _find_in_tag(tag[1] or "", tag[2] or tag[3] or "")
            if not NO_TEXT.search(lines[source.count("\n", 0, tag.start())])
        )
    page = _Words()
    source = re.sub(r"{% block width %}.*?{% endblock", _blank_out, source, flags=re.DOTALL)  # class names
    source = STYLESHEETS.sub(_blank_out, source)
    page.feed(re.sub(r"{%.*?%}|{{.*?}}", _blank_out, source, flags=re.DOTALL))
    page.close()
    yield from ((line, text) for line, text in page.found if not NO_TEXT.search(lines[line - 1]))


def _find_in_tag(tag: str, rest: str) -> Iterator[str]:
    """The literals of a tag or variable that look like readable text because they contain a capital or a space."""
    if tag in ("translate", "url", "static", "extends", "load", "icon", "built", "block", "endblock", "if", "elif"):
        return
    if tag == "term":  # the name of a glossary entry
        rest = re.sub(r"^\s*(\"[^\"]*\"|'[^']*')", "", rest)
    for literal in re.finditer(r'(_\()?("[^"]*"|\'[^\']*\')', rest):
        text = SAME_EVERYWHERE.sub("", literal[2][1:-1])
        after_date = re.search(r"\|(?:date|time|cut|add|slice|floatformat):$", rest[: literal.start()])
        if not literal[1] and not after_date and re.search(r"[A-Z][a-z]|[a-z] [a-z]|\|yesno|\|plural", text):
            yield literal[2][1:-1]


def find_in_python(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each text that may be shown on a page, outside gettext, once per line."""
    lines, tree = source.splitlines(), ast.parse(source)
    found = dict(_find_sentences_anywhere(tree)) | dict(_find_shown_phrases(tree))
    yield from ((line, words) for line, words in found.items() if not _is_marked(lines, line))


def _is_marked(lines: list[str], line: int) -> bool:
    """Whether a comment on the line, or alone on the line above, says that it has no text."""
    above = lines[line - 2].strip() if line > 1 else ""
    return bool(NO_TEXT.search(lines[line - 1]) or NO_TEXT.match(above))


def _find_shown_phrases(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Phrases that are passed to an error or a message, or returned."""
    for node in _walk_shown_code(tree):
        texts: list[ast.expr] = []
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            texts = [*node.exc.args, *(keyword.value for keyword in node.exc.keywords)]
            if getattr(node.exc.func, "id", "").endswith("Error"):
                texts = []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if getattr(node.func.value, "id", "") == "messages":
                texts = node.args[1:]
        elif isinstance(node, ast.Return) and node.value is not None:
            texts = [node.value]
        for text in texts:
            yield from _find_phrases(text)


def _find_sentences_anywhere(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Whole sentences below a node, with `{}` for each value of an f-string."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        text = _write_text(node)
        if SENTENCE.fullmatch(re.sub(r"<[^>]*>", "", text)):
            yield node.lineno, text
            return
    for child in ast.iter_child_nodes(node):
        if not _is_exempt(child):
            yield from _find_sentences_anywhere(child)


def _write_text(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_write_text(part) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value if isinstance(node.value, str) else ""


def _is_exempt(node: ast.AST) -> bool:
    """Whether the node is a docstring, or a call or an argument whose texts are translated or not shown."""
    if isinstance(node, ast.FunctionDef):
        return node.name in TECHNICAL_FUNCTIONS
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.keyword):
        return node.arg in API_DESCRIPTIONS
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            return node.func.attr in LOG_CALLS
        name = getattr(node.func, "id", "")
        return name in CALLS or (isinstance(getattr(builtins, name, None), type) and name.endswith("Error"))
    return False


def _walk_shown_code(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes except those of functions that write for Git or for developers."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.FunctionDef) and child.name in TECHNICAL_FUNCTIONS):
            yield from _walk_shown_code(child)


def _find_phrases(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Constants of two or more words below a node, except those inside a call of gettext."""
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in CALLS:
            return
        if isinstance(node.func, ast.Attribute):
            yield from _find_phrases(node.func.value)
    if isinstance(node, ast.Constant | ast.JoinedStr):
        text = _write_text(node)  # of the whole f-string, as its values can be inside of a tag
        if re.search(r"[A-Za-z]{2,}[,:]? +[A-Za-z]", re.sub(r"<[^>]*>", "", text)):
            yield node.lineno, text
    children = node.values if isinstance(node, ast.Dict) else ast.iter_child_nodes(node)
    if isinstance(node, ast.JoinedStr):
        children = [value for value in node.values if isinstance(value, ast.FormattedValue)]
    for child in children:
        yield from _find_phrases(child)


def find_in_script(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each text of a TypeScript module that isn't passed to gettext or the console."""
    code = re.sub(
        r"//[^\n]*|/\*.*?\*/",
        lambda found: found[0] if "no text:" in found[0] else _blank_out(found),
        source,
        flags=re.DOTALL,
    )
    lines = code.splitlines()
    code = re.sub(r"\b(?:n|p)?gettext\((?:\s*\"(?:[^\"\\\n]|\\.)*\"\s*[,+)]?)+", _blank_out, code)
    for literal in re.finditer(r"\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`", code):
        text = literal[1] if literal[1] is not None else re.sub(r"\${[^}]*}", "", literal[2])
        if STYLE.search(text):
            continue
        line = code.count("\n", 0, literal.start()) + 1
        before = code[: literal.start()].rpartition("\n")[2]
        is_key = code[literal.end() : literal.end() + 1] == ":" and before.rstrip()[-1:] in ("", ",", "{")
        if is_key or CODE_BEFORE.search(before) or NO_TEXT.search(lines[line - 1]):
            continue
        if re.search(
            r"^[A-Z][a-z]+(?:\W|$)|[a-z]{2}[,:]? [a-z]{2}.* [a-z]|^[A-Z][a-z]+ ", SAME_EVERYWHERE.sub("", text)
        ):
            yield line, text


FINDERS = {".html": find_in_template, ".py": find_in_python, ".ts": find_in_script}


def find_in_file(path: Path) -> list[tuple[int, str]]:
    """(line, text) of each unmarked text of one file, in order; none of a module whose texts are findings."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py" and finding_sources.is_source(path):
        return []
    return [] if NO_TEXTS_HERE.search(source) else sorted(FINDERS[path.suffix](source))


def main(places: list[str]) -> None:
    count = 0
    for place in map(Path, places):
        for path in [place] if place.is_file() else sorted(p for p in place.rglob("*") if p.suffix in FINDERS):
            for line, text in find_in_file(path):
                count += 1
                sys.stdout.write(f"{path}:{line}: {text[:100]}\n")
    sys.stdout.write(f"{count} unmarked texts\n")


if __name__ == "__main__":
    main(sys.argv[1:])
