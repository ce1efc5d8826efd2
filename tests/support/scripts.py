"""Loads scripts of the repository as modules, since their folders aren't packages."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

__all__ = ["load_script"]

ROOT = Path(__file__).resolve().parents[2]


def load_script(path: str) -> ModuleType:
    """The script at a path in the repository, loaded but not run."""
    name = f"script_{Path(path).stem}"
    specification = importlib.util.spec_from_file_location(name, ROOT / path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # dataclasses look up their module
    specification.loader.exec_module(module)
    return module
