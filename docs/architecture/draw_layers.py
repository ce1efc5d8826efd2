"""Draws the layers of the code, as import-linter checks them, into layers.svg next to this file.

Run it as `python docs/architecture/draw_layers.py`. A test compares the picture with pyproject.toml.
"""

import ast
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTH, ROW, GAP, MARGIN = 960, 30, 8, 16
LABEL = 190  # room for the package's name at the left
CHARACTER = 7.3  # width of one character, in the drawing's units
STYLE = """
text { font: 13px ui-monospace, Consolas, monospace; fill: #201b14 }
.package { font-weight: 600 }
.about { font-size: 12px; opacity: 0.75 }
rect { fill: #f5f1e8; stroke: #8c816f }
@media (prefers-color-scheme: dark) { text { fill: #ece5d8 } rect { fill: #2a251f; stroke: #817563 } }
"""


def read_layers() -> dict[str, list[list[str]]]:
    """For each package its layers from the top down, each a list of names."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    containers = {
        contract["containers"][0]: contract["layers"]
        for contract in contracts
        if contract["type"] == "layers" and len(contract.get("containers", [])) == 1
    }
    packages = ("frontend", "registry", "promptuary", "promptuary.evaluation", "promptuary.renderer")
    return {
        package: [[name.strip(" ()") for name in layer.replace("|", ":").split(":")] for layer in containers[package]]
        for package in packages
        if package in containers
    }


def describe_module(package: str, name: str) -> str:
    """The first sentence of a module's docstring."""
    folder = ROOT / (package.removeprefix("promptuary.") if "." in package else package)
    path = folder / name / "__init__.py" if (folder / name).is_dir() else folder / f"{name}.py"
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.split("\n\n")[0].replace("\n", " ").split(". ")[0].rstrip(".")


def draw(packages: dict[str, list[list[str]]]) -> str:
    """The picture as SVG text."""
    shapes: list[str] = []
    top = float(MARGIN)
    for package, layers in packages.items():
        shapes.append(f'<text class="package" x="{MARGIN}" y="{top + 20:g}">{escape(package)}</text>')
        for layer in layers:
            left = float(LABEL + MARGIN)
            for name in layer:
                width = len(name) * CHARACTER + 18
                if left + width > WIDTH - MARGIN:
                    left, top = float(LABEL + MARGIN), top + ROW
                shapes.append(
                    f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{ROW - 5}" rx="4"/>'
                    f'<text x="{left + 9:g}" y="{top + 17:g}">{escape(name)}</text>'
                )
                left += width + GAP
            if len(layer) == 1 and (about := describe_module(package, layer[0])):
                shapes.append(f'<text class="about" x="{left + 4:g}" y="{top + 17:g}">{escape(about)}</text>')
            top += ROW
        top += 2 * GAP
    body = "\n".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top:g}" role="img" '
        f'aria-label="Packages and their layers, from the top down">\n<style>{STYLE}</style>\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    (Path(__file__).parent / "layers.svg").write_text(draw(read_layers()), encoding="utf-8")
