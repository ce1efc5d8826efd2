"""Detection of a file's prompt format by its content, and reading the file."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from promptuary.interop import haystack, langfuse, mlflow, prompty, python_source
from promptuary.interop.imported import Imported, LossError, check_imported, slugify
from promptuary.renderer.syntax.yaml_reader import Bounds, YamlError, compose, value_of
from promptuary.workspace import DOCUMENT, Workspace, read_document_text, read_samples

__all__ = ["KINDS", "POET", "detect_kind", "has_readable_suffix", "read_prompts"]

POET = "prompt-poet"
KINDS = (haystack.KIND, POET, prompty.KIND, langfuse.KIND, mlflow.KIND, python_source.KIND)
_ENDINGS = (".j2", ".prompty", ".yml", ".yaml", ".json")
_BOUNDS = Bounds(depth=64, nodes=100_000)


def has_readable_suffix(path: Path) -> bool:
    """Whether a file of a folder may hold prompts, by its name; samples belong to their document."""
    return path.name.endswith(_ENDINGS) and not path.name.endswith((".samples.yml", ".samples.yaml"))


def detect_kind(path: Path) -> str | None:
    """The kind of a file, or None where its content doesn't say."""
    text = read_document_text(path)
    if path.name.endswith(".j2"):
        return POET
    if path.suffix == ".prompty":
        return prompty.KIND
    value = _value(text)
    if langfuse.is_langfuse_prompt(value) or (
        isinstance(value, list) and value and all(map(langfuse.is_langfuse_prompt, value))
    ):
        return langfuse.KIND
    if mlflow.is_mlflow_prompt(value):
        return mlflow.KIND
    if haystack.is_haystack_prompt(value):
        return haystack.KIND
    if prompty.is_prompty_file(text):
        return prompty.KIND
    if python_source.is_python_source(text):
        return python_source.KIND
    return POET if isinstance(value, list) else None


def read_prompts(path: Path, kind: str, root: Path | None = None) -> Iterator[Imported]:
    """The prompts of a file. `root` is the folder that names of documents count from. Raises LossError."""
    text = _with_line_feeds(read_document_text(path))
    stem = path.name.partition(".")[0]
    if kind == POET:
        yield _read_document(path, root)
        return
    if kind in (prompty.KIND, python_source.KIND):
        readers: dict[str, Callable[[str, str], Iterator[Imported]]] = {
            prompty.KIND: prompty.read_prompty_file,
            python_source.KIND: python_source.read_python_prompt,
        }
        yield from readers[kind](text, stem)
        return
    try:
        value = json.loads(text) if kind in (langfuse.KIND, mlflow.KIND) else value_of(compose(text, _BOUNDS))
    except YamlError as error:
        raise LossError(f"line {text.count(chr(10), 0, error.index) + 1}: {error.message}") from error
    except (ValueError, RecursionError) as error:
        raise LossError(f"it is no JSON: {error}") from error
    structured: dict[str, Callable[[Any, str], Iterator[Imported]]] = {
        langfuse.KIND: langfuse.read_langfuse_prompts,
        mlflow.KIND: mlflow.read_mlflow_prompts,
        haystack.KIND: haystack.read_haystack_prompts,
    }
    yield from structured[kind](value, stem)


def _read_document(path: Path, root: Path | None) -> Imported:
    """A document as it is: its text is not touched, its samples come along."""
    place = path.relative_to(root) if root else Path(path.name)
    name = place.as_posix().removesuffix(".j2").removesuffix(".yml").removesuffix(".yaml")
    samples = read_samples(path) if path.name.endswith(DOCUMENT) else {}
    workspace = Workspace.around(path)
    return check_imported(
        Imported(slugify(name), read_document_text(path), samples), fragments=workspace.fragments() if workspace else {}
    )


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n")


def _value(text: str) -> Any:
    """The text as JSON or YAML; None where it is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return value_of(compose(text, _BOUNDS))
    except YamlError:
        return None
