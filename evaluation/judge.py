"""Judging the rows of a run: relevant, used and supporting sentences of the documents, and the scores.

A judge is any runnable that takes `documents`, `question` and `response` (those it declares) and returns `reply`: a
template version with a model, for example the starter template `demo/judge-answer-support`. Its full reply is kept with
the scores.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from promptuary.evaluation.errors import EvaluationError, ReplyError
from promptuary.evaluation.metrics.judgements import NAMES, list_scores
from promptuary.evaluation.results import EvaluationResult, Recorder
from promptuary.evaluation.runnables import FunctionRunnable, Runnable, list_input_names
from promptuary.evaluation.runner import OnProgress, run
from promptuary.evaluation.scoring import Score, score
from promptuary.renderer.errors import RenderError
from promptuary.renderer.functions.documents import read_content
from promptuary.renderer.functions.sentences import split_documents, split_response
from promptuary.renderer.replies.judgement import strip_key
from promptuary.renderer.replies.trace_scores import Trace, Unit, trace

__all__ = ["Judge", "Judgement", "add_judgements", "judge"]

Judgement = dict[str, Any]
"""documents     for each document a list of {"key", "text", "relevant", "utilized", "supports": keys of the response}
response      {"key", "text", "supported" (None: no verdict), "supported_by": keys, "reasons": words, "explanation"}
scores        the six metrics by name, None where the reply does not say
explanations  {"relevance", "support"} in the judge's own words
reasons       by score: why it is None, or what is odd about it; also the reply's repairs, unknown_keys, duplicate_keys
unit, reply   how sentences were measured; the judge's text (None without one)
error         {"kind", "message"} where nothing could be read, else None
"""


@dataclass(frozen=True)
class Judge:
    """A judge's runnable, and the paths in a row that it reads, such as `inputs.excerpts` or `actual.answer`.

    Called with a result, it judges every row and returns the scores, so it can be passed to `calculate_metrics` as a
    metric.
    """

    runnable: Runnable
    documents: str = "inputs.documents"
    question: str = "inputs.question"
    response: str = "actual.answer"
    unit: Unit = "sentence"

    @property
    def definition(self) -> dict[str, Any]:
        """The judge's entry in a result file, as plain JSON."""
        return {
            "kind": "judge",
            "name": self.runnable.name,
            "judge": getattr(self.runnable, "definition", None),
            "documents": self.documents,
            "question": self.question,
            "response": self.response,
            "unit": self.unit,
        }

    def judge_row(self, row: Mapping[str, Any]) -> Judgement:
        """Judge one row. Never raises: failures are in the judgement's `error` and `reasons`."""
        try:
            documents, question, response = self.find(row)
        except EvaluationError as error:
            return _build_failed(error, [], "", self.unit)
        data: dict[str, Any] = {"documents": documents, "question": question, "response": response}
        names = list_input_names(self.runnable)
        try:
            outputs = self.runnable.run({name: data[name] for name in data if names is None or name in names})
            reply = _read_reply(outputs)
        except ReplyError as error:
            reply = error.reply  # rejected by the schema; what can be read still counts
        except Exception as error:  # noqa: BLE001  # any failure of a judge is recorded with its row
            return _build_failed(error, documents, response, self.unit)
        return read_judgement(reply, documents, response, self.unit)

    def __call__(
        self, result: EvaluationResult, *, workers: int = 1, on_progress: OnProgress | None = None
    ) -> dict[str, Score]:
        """Judge every row of a result and return the six scores by metric."""
        judged_result = judge(result, self, workers=workers, on_progress=on_progress)
        rows = [(row["actual"] or {}).get("judgement") for row in judged_result.rows()]
        return {name: score(name, [None] * len(rows), rows) for name in NAMES}

    def find(self, row: Mapping[str, Any]) -> tuple[list[str], str, str]:
        """Return the document texts, the question and the response of a row. EvaluationError names the missing one."""
        documents, response = _read_path(row, self.documents), _read_path(row, self.response)
        if isinstance(documents, str):
            documents = [documents]
        if not isinstance(documents, Sequence):
            raise EvaluationError(f"there are no documents at `{self.documents}` to judge by")
        if response is None:
            raise EvaluationError(f"there is no answer at `{self.response}` to judge")
        if isinstance(response, Sequence) and not isinstance(response, str):
            response = response[0] if response else ""
        try:
            texts = [read_content(document) for document in documents]
            return texts, str(_read_path(row, self.question) or ""), read_content(response)
        except RenderError as error:
            raise EvaluationError(error.message) from error


def judge(
    result: EvaluationResult,
    judge: Judge,
    *,
    workers: int = 1,
    on_progress: OnProgress | None = None,
    path: Path | None = None,
) -> EvaluationResult:
    """Judge every row of a result. Each row's `actual` is {"judgement": Judgement}; the file loads like any run's."""
    runnable = FunctionRunnable("judge", lambda row: {"judgement": judge.judge_row(row)})
    runnable.name = f"judge {judge.runnable.name}"
    runnable.digest = judge.runnable.digest
    runnable.definition = judge.definition
    rows = ({"row": {key: row[key] for key in ("inputs", "expected", "actual")}} for row in result.rows())
    report_progress = (lambda count, _total: on_progress(count, len(result))) if on_progress else None
    return run(runnable, rows, on_progress=report_progress, workers=workers, path=path)


def add_judgements(
    result: EvaluationResult, judge: Judge, *, workers: int = 1, path: Path | None = None
) -> EvaluationResult:
    """Return the result with each row's judgement added to its outputs: one file and one set of gates cover both.

    Failed rows are not judged. path: where the file is written, by default a temporary file.
    """
    answered_rows = ({"row": row} for row in result.rows() if row["actual"])
    judgements = run(FunctionRunnable("judge", judge.judge_row), answered_rows, workers=workers).rows()
    with Recorder({**result.runnable, "judge": judge.definition}, blind=result.blind, path=path) as recorder:
        for index, row in enumerate(result.rows()):
            if row["actual"]:
                row["actual"]["judgement"] = next(judgements)["actual"]
            recorder.add(row, index)
        return recorder.finish()


def read_judgement(reply: Any, documents: Sequence[str], response: str, unit: Unit = "sentence") -> Judgement:
    """Read from a judge's reply (text, or a parsed mapping) what it says about a response and its documents."""
    keyed = split_documents(documents)
    try:
        parsed = _trace(reply, keyed, response, unit)
    except RenderError as error:
        return _build_failed(error, documents, response, unit, reply)
    scores = list_scores(parsed)
    failure = None
    if not parsed.mapping:
        failure = {"kind": "OutputError", "message": parsed.reasons.get("adherence", "the reply has no judgement")}
    return {
        "documents": _mark_sentences(keyed, parsed),
        "response": list(_list_supported(response, parsed)),
        "scores": scores,
        "explanations": {
            "relevance": _read_answer(parsed, "relevance_explanation"),
            "support": _read_answer(parsed, "overall_supported_explanation"),
        },
        "reasons": {f"trace_{name}": reason for name, reason in parsed.reasons.items()},
        "repairs": parsed.repairs,
        "unknown_keys": parsed.judgement.unknown,
        "duplicate_keys": parsed.judgement.duplicates,
        "unit": unit,
        "reply": reply if isinstance(reply, str) else dict(reply),
        "error": failure,
    }


def _trace(reply: Any, keyed: Sequence[Sequence[tuple[str, str]]], response: str, unit: Unit) -> Trace:
    """The parsed reply, less verdicts on sentences that aren't in the response; notes sentences without a verdict."""
    scores = trace(reply, keyed, unit)
    keys = {key for key, _ in split_response(response)}
    judged_keys = {sentence.key.lower() for sentence in scores.judgement.sentences}
    support_items = scores.mapping.get("sentence_support_information")
    if judged_keys & keys and judged_keys - keys and isinstance(support_items, list):
        known_items = [item for item in support_items if isinstance(item, Mapping) and _read_key(item) in keys]
        again = trace({**scores.mapping, "sentence_support_information": known_items}, keyed, unit)
        left = ", ".join(sorted(judged_keys - keys))
        note = f"left out the verdict on {left}, which is not a sentence of the response"
        scores = replace(again, repairs=[*scores.repairs, note])
    if judged_keys and keys - judged_keys:
        silent = f"no verdict on {', '.join(sorted(keys - judged_keys))}"
        reason = scores.reasons.get("adherence")
        scores.reasons["adherence"] = f"{reason}; {silent}" if reason else silent
    return scores


def _read_key(item: Mapping[str, Any]) -> str:
    return strip_key(str(item.get("response_sentence_key", ""))).lower()


def _mark_sentences(keyed: Sequence[Sequence[tuple[str, str]]], scores: Trace) -> list[list[dict[str, Any]]]:
    judgement = scores.judgement
    supports: dict[str, list[str]] = {}
    for sentence in judgement.sentences:
        for key in sentence.keys:
            supports.setdefault(key, []).append(sentence.key)
    relevant, utilized = frozenset(judgement.relevant or ()), frozenset(judgement.utilized or ())
    return [
        [
            {
                "key": key,
                "text": text,
                "relevant": key in relevant,
                "utilized": key in utilized,
                "supports": supports.get(key, []),
            }
            for key, text in document
        ]
        for document in keyed
    ]


def _list_supported(response: str, scores: Trace) -> Iterator[dict[str, Any]]:
    supports = {sentence.key.lower(): sentence for sentence in scores.judgement.sentences}
    for key, text in split_response(response):
        support = supports.get(key)
        yield {
            "key": key,
            "text": text,
            "supported": support.fully if support else None,
            "supported_by": list(support.keys) if support else [],
            "reasons": list(support.reasons) if support else [],
            "explanation": support.explanation if support else "",
        }


def _read_answer(scores: Trace, name: str) -> str:
    value = scores.mapping.get(name)
    return value if isinstance(value, str) else ""


def _build_failed(
    error: Exception, documents: Sequence[str], response: str, unit: Unit, reply: Any = None
) -> Judgement:
    message = getattr(error, "message", None) or str(error)
    empty = trace({}, split_documents(documents))
    return {
        "documents": _mark_sentences(split_documents(documents), empty),
        "response": list(_list_supported(response, empty)),
        "scores": dict.fromkeys(NAMES),
        "explanations": {"relevance": "", "support": ""},
        "reasons": dict.fromkeys(NAMES, message),
        "repairs": [],
        "unknown_keys": [],
        "duplicate_keys": [],
        "unit": unit,
        "reply": reply,
        "error": {"kind": type(error).__name__, "message": message},
    }


def _read_reply(outputs: Mapping[str, Any]) -> Any:
    reply = outputs.get("reply", outputs.get("answer", outputs))
    if isinstance(reply, str | Mapping):
        return reply
    if isinstance(reply, list) and len(reply) == 1 and isinstance(reply[0], str):
        return reply[0]
    raise EvaluationError(f"a judge gives one text as `reply`, not {type(reply).__name__}")


def _read_path(row: Mapping[str, Any], path: str) -> Any:
    value: Any = row
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value
