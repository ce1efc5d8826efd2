"""A folder of documents on disk: the documents, their samples, and the versions they were pulled from.

<folder>/<namespace>/<name>.yml.j2          the document
<folder>/<namespace>/<name>.samples.yml     its samples
<folder>/.promptuary/workspace.json         the version and digest each file was made from
<folder>/.promptuary/fragments/...          the pinned fragments they use, for work without a network
<folder>/.promptuary/standards/<namespace>.yml  what documents of the namespace must meet, as of the last pull
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from promptuary.errors import ConfigurationError
from promptuary.names import check_name
from promptuary.renderer.files import write_atomically
from promptuary.renderer.syntax import yaml_writer
from promptuary.renderer.syntax.yaml_reader import Bounds, YamlError, compose, read_value
from promptuary.renderer.validation.standards import Standards
from promptuary.renderer.validation.standards_reader import StandardsError, read_standards

__all__ = [
    "DOCUMENT",
    "SAMPLES",
    "Pulled",
    "Workspace",
    "find_documents",
    "read_document_text",
    "read_samples",
    "read_standards_file",
]

DOCUMENT = ".yml.j2"
SAMPLES = ".samples.yml"
STATE = ".promptuary"
_BOUNDS = Bounds(depth=64, nodes=1_000_000)  # samples may contain a mebibyte of data


@dataclass(frozen=True)
class Pulled:
    """The version a file was pulled from. `document` and `samples` are the SHA-256 of the texts as written."""

    version: int
    digest: str
    document: str
    samples: str | None = None


class Workspace:
    """A folder of pulled documents."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def around(cls, path: Path) -> "Workspace | None":
        """Return the workspace that contains `path`, or None."""
        folders = [path.absolute(), *path.absolute().parents]
        return next((cls(folder) for folder in folders if (folder / STATE).is_dir()), None)

    def document_path(self, name: str) -> Path:
        """Path of a template's document."""
        return self.folder / (check_name(name) + DOCUMENT)

    def samples_path(self, name: str) -> Path:
        """Path of a template's samples."""
        return self.folder / (check_name(name) + SAMPLES)

    def find_name(self, path: Path) -> str | None:
        """Return the name of the template at this path, or None if the path doesn't name one."""
        name = path.absolute().relative_to(self.folder).as_posix().removesuffix(DOCUMENT)
        return name if "/" in name and path.name.endswith(DOCUMENT) else None

    def find_standards(self, namespace: str) -> Standards:
        """Return the namespace's standards as of the last pull."""
        path = self._build_standards_path(namespace)
        return read_standards_file(path) if path.exists() else Standards()

    def write_standards(self, namespace: str, standards: Mapping[str, Any]) -> None:
        """Store the standards of a namespace for work without a network."""
        path = self._build_standards_path(namespace)
        if standards:
            _write(path, yaml_writer.write_yaml(standards))
        else:
            path.unlink(missing_ok=True)

    def _build_standards_path(self, namespace: str) -> Path:
        return self.folder / STATE / "standards" / f"{namespace}.yml"

    def read_pulled(self) -> dict[str, Pulled]:
        """Return what each template's file was pulled from, by template name."""
        path = self.folder / STATE / "workspace.json"
        if not path.exists():
            return {}
        try:
            return {name: Pulled(**facts) for name, facts in json.loads(path.read_text("utf-8"))["templates"].items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ConfigurationError(f"{path} cannot be read; pull into a new folder") from None

    def is_edited(self, name: str, pulled: Pulled | None) -> bool:
        """Whether the files differ from what was pulled, or exist without having been pulled."""
        document, samples = self.document_path(name), self.samples_path(name)
        if pulled is None:
            return document.exists() or samples.exists()
        return _hash_file(document) not in (None, pulled.document) or _hash_file(samples) not in (None, pulled.samples)

    def write(self, body: Mapping[str, Any], samples: Mapping[str, Any] | None) -> Path:
        """Write a fetched version, its samples and its fragments, and record their origin.

        samples: None if they could not be read; an existing file of samples then stays as it is.
        """
        name = str(body["name"])
        path = self.document_path(name)
        _write(path, str(body["document"]))
        if samples:
            _write(self.samples_path(name), yaml_writer.write_yaml(samples, sort_keys=False))
        elif samples is not None:
            self.samples_path(name).unlink(missing_ok=True)
        for ref, text in body["fragments"].items():
            _write(self.folder / STATE / "fragments" / f"{ref.replace(':', '-')}{DOCUMENT}", text)
        self.remember(name, int(body["version"]), str(body["digest"]))
        return path

    def bring_in(self, body: Mapping[str, Any], merged: str, samples: Mapping[str, Any] | None) -> Path:
        """Write a merged document and make the fetched version its new base. Samples edited locally are kept."""
        name = str(body["name"])
        pulled = self.read_pulled().get(name)
        samples_path = self.samples_path(name)
        is_edited = samples_path.exists() and pulled is not None and _hash_file(samples_path) != pulled.samples
        edited = read_document_text(samples_path) if is_edited else None
        path = self.write(body, samples)
        _write(path, merged)
        if edited is not None:
            _write(samples_path, edited)
        return path

    def remember(self, name: str, version: int, digest: str) -> None:
        """Record that the files are this version now."""
        document = _hash_file(self.document_path(name))
        entry = Pulled(version, digest, document or "", _hash_file(self.samples_path(name)))
        pulled = {**self.read_pulled(), name: entry}
        state = {"templates": {name: asdict(entry) for name, entry in sorted(pulled.items())}}
        _write(self.folder / STATE / "workspace.json", json.dumps(state, indent=2) + "\n")

    def read_fragments(self) -> dict[str, str]:
        """Return every fragment stored here, by the ref that documents use."""
        folder = self.folder / STATE / "fragments"
        texts = {}
        for path in sorted(folder.rglob(f"*{DOCUMENT}")):
            ref = path.relative_to(folder).as_posix().removesuffix(DOCUMENT).replace("@sha256-", "@sha256:")
            texts[ref] = read_document_text(path)
        return texts


def find_documents(paths: list[Path]) -> list[Path]:
    """Find the documents among files and folders, also inside folders; a samples file selects its document."""
    documents: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = path.rglob(f"*{DOCUMENT}")
            documents += sorted(item for item in inside if STATE not in item.relative_to(path).parts)
        elif path.exists():
            is_samples = path.name.endswith(SAMPLES)
            documents.append(path.with_name(path.name.removesuffix(SAMPLES) + DOCUMENT) if is_samples else path)
        else:
            raise ConfigurationError(f"{path}: no such file or folder")
    return list(dict.fromkeys(documents))


def read_document_text(path: Path) -> str:
    """Read a file's text without translating line endings."""
    return path.read_bytes().decode("utf-8")


def read_samples(document: Path) -> dict[str, Any]:
    """Read the samples next to a document; empty without a file."""
    path = document.with_name(document.name.removesuffix(DOCUMENT) + SAMPLES)
    if not path.exists():
        return {}
    samples = _read_yaml(path) or {}
    if not isinstance(samples, dict) or not all(isinstance(values, dict) for values in samples.values()):
        raise ConfigurationError(f"{path}: samples are a mapping of sample names to mappings of inputs")
    return samples


def read_standards_file(path: Path) -> Standards:
    """Read the standards in a YAML file, in the form of the API."""
    try:
        return read_standards(_read_yaml(path) or {})
    except (OSError, UnicodeDecodeError):
        raise ConfigurationError(f"{path}: no such file, or no text") from None
    except StandardsError as error:
        raise ConfigurationError(f"{path}: {error}") from None


def _read_yaml(path: Path) -> Any:
    text = read_document_text(path)
    try:
        return read_value(compose(text, _BOUNDS))
    except YamlError as error:
        line = text.count("\n", 0, error.index) + 1
        raise ConfigurationError(f"{path}:{line}: {error.message}") from None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.encode("utf-8"))


def _hash_file(path: Path) -> str | None:
    return sha256(path.read_bytes()).hexdigest() if path.exists() else None
