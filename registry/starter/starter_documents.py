"""Documents of the starter library as files: their text and their samples, without a database."""

from pathlib import Path
from typing import Any

from promptuary.renderer.syntax.yaml_reader import compose, read_value

__all__ = ["read_document", "read_samples"]

_FOLDER = Path(__file__).parent / "demo"


def read_document(name: str) -> str:
    """The text of a document of the namespace `demo`."""
    return (_FOLDER / f"{name}.yml.j2").read_text(encoding="utf-8")


def read_samples(name: str) -> dict[str, Any]:
    """Its samples by name; none if it has no file of them."""
    path = _FOLDER / f"{name}.samples.yml"
    samples: dict[str, Any] = read_value(compose(path.read_text(encoding="utf-8"))) if path.exists() else {}
    return samples
