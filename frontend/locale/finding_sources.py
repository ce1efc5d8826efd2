"""The patterns of findings, extracted from the sources that create them.

A finding is stored and sent in English; a page shows it in the reader's language (`frontend/web/findings.py`). It is
recognised by its pattern, the sentence with a name in braces for each value: `There is no input {old}.` In these
sources, each literal or f-string that looks like prose is a pattern. `listed_findings.py` contains the texts of
libraries.
"""

import ast
import re
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

from frontend.locale import listed_findings

__all__ = ["ROOT", "find_patterns", "is_source", "list_patterns"]

ROOT = Path(__file__).parents[2]
# Folders and files that create findings.
_SOURCES = (
    "renderer",
    "evaluation/connection_failures.py",
    "evaluation/datasets.py",
    "evaluation/errors.py",
    "evaluation/gates.py",
    "evaluation/http_models.py",
    "evaluation/json_values.py",
    "evaluation/judge.py",
    "evaluation/metrics",
    "evaluation/models.py",
    "evaluation/protocols.py",
    "evaluation/scoring.py",
    "evaluation/streaming_models.py",
    "registry/audit/verification.py",
    "registry/changes/check_runners.py",
    "registry/changes/checks.py",
    "registry/changes/counted_scores.py",
    "registry/changes/evaluation_check.py",
    "registry/changes/gate_facts.py",
    "registry/changes/version_checks.py",
    "registry/evaluations/attachments.py",
    "registry/evaluations/call_pool.py",
    "registry/evaluations/gate_outcomes.py",
    "registry/evaluations/gate_trials.py",
    "registry/evaluations/judge_calls.py",
    "registry/evaluations/live_failures.py",
    "registry/evaluations/model_calls.py",
    "registry/evaluations/run_worker.py",
    "registry/evaluations/scoring_process.py",
    "registry/improvements/proposals.py",
    "registry/improvements/worker.py",
    "registry/playground/replies.py",
    "registry/playground/streams.py",
    "registry/rollouts/clock.py",
    "registry/rollouts/stop_rules.py",
    "registry/tasks/tasks.py",
    "registry/webhooks/delivery.py",
    "registry/webhooks/services.py",
)
# Exceptions whose texts are prompts, descriptions or code.
_WITHOUT = (
    "renderer/__init__.py",
    "renderer/digest.py",
    "renderer/hermes",
    "renderer/isolation/confinement.py",
    "renderer/lower_bound",
    "renderer/part.py",
    "renderer/prompt.py",
    "renderer/tokens/base.py",
    "renderer/tokens/bpe_tables.py",
    "renderer/tokens/word_cache.py",
)

# Beginnings of texts that aren't findings: names, parts of secrets, headers, a prompt.
_NO_FINDINGS = (
    "<template ",
    "<{name} ",
    "AKIA ",
    "AccountKey ",
    "Bearer ",
    "False schema",
    "PRIVATE KEY",
    "SK AC",
    "You are ",
    "abs capitalize ",
    "asic ",
    "ecret ",
    "model extra_body ",
    "the end of column ",
    "the mirror has stopped: ",
    "the reply of column ",
    "what came of the replies ",
    "{stem}/prompt ",
    "{{join(",
    "{{x}}|",
)
# Two words, or one next to a value.
_WORDS = re.compile(
    r"(?:\ba|[A-Za-z]{2})[`',:;)]*\s+[`'\"({]*[A-Za-z0-9]|[A-Za-z]{2}[`',:;)]*\s+\S*\{|\}\S*\s+[`'\"(]*[A-Za-z]{2}"
)
_CODE = re.compile(r"\n|^\{\{%|\\[sdwb]|^\s\s|^[-#*|] ")
# Functions whose arguments aren't shown to users.
_CODE_CALLS = {
    "compile", "split", "rpartition", "partition", "sub", "match", "search", "fullmatch", "finditer", "replace",
    "startswith", "endswith", "removesuffix", "removeprefix", "gettext", "ngettext", "gettext_lazy", "getLogger",
    "add_argument", "info", "warning", "debug", "getattr", "hasattr", "setattr", "TypeVar", "NewType", "cast",
    "writeline",
}  # fmt: skip
_FORMS_OF_VALUES = {"str", "map", "sorted", "repr", "type", "list", "max", "min"}
# One of the forms of a text with values; a value is a tuple of its name.
Form = tuple[str | tuple[str], ...]
_MAX_FORMS = 16


def list_patterns() -> Iterator[tuple[str, str | None, str]]:
    """The file, the context and the text of each pattern: from the sources, then those listed by hand."""
    for source in _SOURCES:
        place = ROOT / source
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            name = str(path.relative_to(ROOT))
            if not name.startswith(_WITHOUT):
                yield from ((name, None, pattern) for pattern in find_patterns(path))
    place_of_list = "frontend/locale/listed_findings.py"
    yield from ((place_of_list, None, pattern) for pattern in listed_findings.PATTERNS)
    yield from ((place_of_list, name, word) for name, words in listed_findings.WORDS.items() for word in words)


def is_source(path: Path) -> bool:
    """Whether the texts of a module are patterns of findings."""
    name = path.resolve().relative_to(ROOT).as_posix()
    return name.startswith(_SOURCES) and not name.startswith(_WITHOUT)


def find_patterns(path: Path) -> list[str]:
    """The patterns of one module, in line order."""
    patterns: dict[str, None] = {}
    for node in _walk_texts(ast.parse(path.read_text(encoding="utf-8"))):
        forms = islice(_list_forms(node), _MAX_FORMS)
        patterns |= dict.fromkeys(pattern for pattern in map(_write_pattern, forms) if _is_sentence(pattern))
    return list(patterns)


def _is_sentence(pattern: str) -> bool:
    is_left_out = pattern.startswith(_NO_FINDINGS) or _CODE.search(pattern)
    return bool(_WORDS.search(pattern)) and not is_left_out


def _walk_texts(node: ast.AST) -> Iterator[ast.expr]:
    """The texts below a node, outermost first; concatenated texts count as one."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr) and _is_text(child):
            yield child
            yield from _walk_values(child)
        elif not _is_unread(child):
            yield from _walk_texts(child)


def _walk_values(node: ast.AST) -> Iterator[ast.expr]:
    """The texts inside a text's values, which are separate findings."""
    if isinstance(node, ast.BinOp | ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _walk_values(child)
    elif isinstance(node, ast.FormattedValue | ast.IfExp):
        values = [node.value] if isinstance(node, ast.FormattedValue) else [node.body, node.orelse]
        for value in values:
            yield from _walk_values(value)
    elif not isinstance(node, ast.Constant) and not _is_unread(node):
        yield from _walk_texts(node)


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add) and (_is_text(node.left) or _is_text(node.right))
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_unread(node: ast.AST) -> bool:
    """Docstrings, comparisons, keys, and the arguments of functions that take code."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Call):
        is_copy = isinstance(node.func, ast.Name) and node.func.id == "replace"  # of a dataclass
        return _find_variable(node.func) in _CODE_CALLS and not is_copy
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant)
    return isinstance(node, ast.Compare | ast.arg)


def _list_forms(node: ast.expr) -> Iterator[Form]:
    """Each form of a text: a conditional expression in it yields two."""
    if isinstance(node, ast.Constant):
        yield (str(node.value),)
    elif isinstance(node, ast.JoinedStr):
        for pieces in product(*(list(_list_forms(value)) for value in node.values)):
            yield tuple(part for piece in pieces for part in piece)
    elif isinstance(node, ast.FormattedValue):
        yield from _list_forms(node.value)
    elif isinstance(node, ast.IfExp):
        yield from _list_forms(node.body)
        yield from _list_forms(node.orelse)
    elif isinstance(node, ast.BinOp) and _is_text(node):
        for pieces in product(list(_list_forms(node.left)), list(_list_forms(node.right))):
            yield tuple(part for piece in pieces for part in piece)
    else:
        yield ((_find_variable(node),),)


def _find_variable(node: ast.AST) -> str:
    """The last name of an expression: `limit` of `self.limit`, `names` of `", ".join(names)`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").lower()
        case ast.Call():
            return _find_result(node)
        case ast.Subscript(slice=ast.Constant(value=str(key))) if key.isidentifier():
            return key
        case ast.Subscript(value=inner) | ast.Starred(value=inner) | ast.BoolOp(values=[inner, *_]):
            return _find_variable(inner)
        case ast.BinOp(left=inner) if not isinstance(inner, ast.Constant):
            return _find_variable(inner)
        case ast.GeneratorExp(generators=[first, *_]) | ast.ListComp(generators=[first, *_]):
            return _find_variable(first.iter)
    return "value"


def _find_result(call: ast.Call) -> str:
    """The name for a call's result: usually that of the function, or of the value that it converts."""
    match call:
        case ast.Call(func=ast.Name(id="len")):
            return "count"
        case ast.Call(func=ast.Name(id=name), args=[*_, last]) if name in _FORMS_OF_VALUES:
            return _find_variable(last)
        case ast.Call(func=ast.Attribute(attr="join"), args=[joined]):
            return _find_variable(joined)
        case ast.Call(func=ast.Attribute(value=owner, attr="strip" | "rstrip" | "lower" | "removesuffix")):
            return _find_variable(owner)
    return _find_variable(call.func)


def _write_pattern(form: Form) -> str:
    """The form with a name in braces for each value; repeated names are numbered."""
    written, names = "", list[str]()
    for part in form:
        if isinstance(part, str):
            written += part.replace("{", "{{").replace("}", "}}")
            continue
        names.append(part[0])
        count = names.count(part[0])
        written += f"{{{part[0]}}}" if count == 1 else f"{{{part[0]}_{count}}}"
    return written
