"""The runner: runs a runnable over rows, in one pass; for a chain both as a whole and each component in isolation."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain as concatenated
from pathlib import Path
from typing import Any

from promptuary.evaluation.chains import Chain, spread_inputs
from promptuary.evaluation.errors import EvaluationError, ReplyError
from promptuary.evaluation.json_values import copy_plain_values, require_json
from promptuary.evaluation.results import EvaluationResult, Recorder
from promptuary.evaluation.runnables import Runnable, list_input_names

__all__ = ["OnProgress", "run"]

Row = dict[str, Any]
Simulated = Mapping[str, Mapping[str, Any]] | Sequence[Mapping[str, Mapping[str, Any]]]
OnProgress = Callable[[int, int | None], None]
_WINDOW = 4  # rows read ahead per worker


def run(
    runnable: Runnable,
    inputs: Iterable[Mapping[str, Any]] | Mapping[str, Any],
    expected_outputs: Iterable[Mapping[str, Any] | None] = (),
    simulated_outputs: Simulated | None = None,
    on_progress: OnProgress | None = None,
    *,
    workers: int = 1,
    path: Path | None = None,
) -> EvaluationResult:
    """Run every row and record it. A failing row is recorded with its error, and the run continues.

    Args:
        inputs: rows, or a single row. A chain's row is {component: {input: value}}, or {input: value} if one component
            takes the input; a name that two components take is refused before anything runs.
        expected_outputs: as many rows, or none for a blind run. A chain's are {component: {output: value}}.
        simulated_outputs: {component: {output: value}} to use as the outputs of a chain's components, one mapping for
            all rows or one per row. They feed isolated components in place of the expected outputs, and each row runs
            a second time from them to the end of the chain (`mode="simulated"`).
        on_progress: called with rows done and total rows (None while unknown); an exception from it ends the run.
        workers: rows run in parallel, in threads. path: where the result's file is written, by default a temporary one.
    """
    rows: Iterable[Mapping[str, Any]] = [inputs] if isinstance(inputs, Mapping) else inputs
    expected = expected_outputs
    total = len(rows) if isinstance(rows, Sequence) else None
    _check_lengths(total, expected, simulated_outputs)
    _check_simulated(runnable, simulated_outputs)
    blind = isinstance(expected, Sequence) and not expected
    rows = _check_all(runnable, rows)
    work = _pair_rows(rows, expected, simulated_outputs, blind=blind)
    with Recorder(_describe(runnable), blind=blind, path=path) as recorder:
        for index, row in enumerate(_run_in_order(lambda item: _run_row(runnable, *item), work, workers)):
            recorder.add(row, index)
            if on_progress:
                on_progress(index + 1, total)
        return recorder.finish()


def _check_lengths(total: int | None, expected: Any, simulated: Any) -> None:
    for name, value in (("expected_outputs", expected), ("simulated_outputs", simulated)):
        is_list = isinstance(value, Sequence) and (value or name == "simulated_outputs")
        if total is not None and is_list and len(value) != total:
            raise EvaluationError(f"there are {total} rows of inputs and {len(value)} of {name}")


def _check_simulated(runnable: Runnable, simulated: Simulated | None) -> None:
    columns = [simulated] if isinstance(simulated, Mapping) else simulated or []
    known_names = list(runnable.components) if isinstance(runnable, Chain) else []
    for name in {name for column in columns for name in column}:
        if name not in known_names:
            there_are = f"there are {', '.join(known_names)}" if known_names else "it isn't a chain"
            raise EvaluationError(f"simulated_outputs: {name!r} isn't a component of {runnable.name}; {there_are}")


def _check_all(runnable: Runnable, rows: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """Refuse misplaced inputs before anything runs: in all rows of a list, or in the first row of a stream."""
    if isinstance(rows, Sequence):
        for index, row in enumerate(rows):
            _check_row(runnable, row, index)
        return rows
    stream = iter(rows)
    first = next(stream, None)
    if first is None:
        return []
    _check_row(runnable, first, 0)
    return concatenated([first], stream)


def _check_row(runnable: Runnable, row: Mapping[str, Any], index: int) -> None:
    if not isinstance(row, Mapping):
        raise EvaluationError(f"row {index + 1}: inputs are a mapping, not {type(row).__name__}")
    if isinstance(runnable, Chain):
        spread_inputs(runnable, row)
        return
    names = list_input_names(runnable)
    unknown = [name for name in row if names is not None and name not in names]
    if unknown:
        known, wrong = ", ".join(names or ()), ", ".join(unknown)
        raise EvaluationError(f"row {index + 1}: {runnable.name} takes {known}, not {wrong}")


def _describe(runnable: Runnable) -> dict[str, Any]:
    return {
        "name": runnable.name,
        "digest": runnable.digest,
        "definition": getattr(runnable, "definition", None),
        "chain": isinstance(runnable, Chain),
    }


def _pair_rows(
    rows: Iterable[Mapping[str, Any]], expected: Iterable[Any], simulated: Simulated | None, *, blind: bool
) -> Iterator[tuple[int, Row, Any, Mapping[str, Mapping[str, Any]]]]:
    rows_expected = iter(expected)
    index = -1
    for index, row in enumerate(rows):
        gold = None if blind else next(rows_expected, _END)
        if gold is _END:
            raise EvaluationError(f"row {index + 1} has inputs but expected_outputs ended before it")
        assumed = simulated if isinstance(simulated, Mapping) else simulated[index] if simulated else {}
        yield index, dict(row), gold, assumed
    if not blind and next(rows_expected, _END) is not _END:
        raise EvaluationError(f"expected_outputs go on after the last of {index + 1} rows of inputs")


_END = object()


def _run_row(
    runnable: Runnable, index: int, inputs: Row, expected: Any, simulated: Mapping[str, Mapping[str, Any]]
) -> Row:
    row: Row = {"inputs": inputs, "expected": expected, "actual": None, "isolated": {}, "errors": []}
    if _refuse_values(row, {"inputs": inputs, "expected": expected, "simulated": simulated}):
        return row
    if not isinstance(runnable, Chain):
        row["actual"] = _attempt_row(row, "", "integrated", lambda: runnable.run(inputs))
        return row
    data = spread_inputs(runnable, inputs)
    row["actual"] = _run_whole(runnable, data, row)
    columns = {**(expected or {}), **simulated}
    for component, part in runnable.components.items():
        feeds = runnable.upstream(component)
        if not feeds:  # the first component: in isolation it does the same
            row["isolated"][component] = row["actual"].get(component)
        elif all(isinstance(columns.get(u), Mapping) and output in columns[u] for u, output in feeds.values()):
            alone = runnable.gather(component, data, columns)
            row["isolated"][component] = _attempt_row(row, component, "isolated", partial(part.run, alone))
    if simulated:
        row["simulated"] = _run_from_simulated(runnable, data, row, simulated)
    return row


def _refuse_values(row: Row, data: Mapping[str, Any]) -> bool:
    """Whether the row has a value that isn't JSON. Such a row is not run, and is recorded with None for that value."""
    for name, value in data.items():
        try:
            require_json(value, name)
        except EvaluationError as error:
            row["inputs"], row["expected"] = copy_plain_values(row["inputs"]), copy_plain_values(row["expected"])
            row["errors"].append({"component": "", "mode": name, "kind": type(error).__name__, "message": str(error)})
            return True
    return False


def _run_whole(chain: Chain, data: Mapping[str, Row], row: Row) -> Row:
    """The outputs of all components up to the first failure."""
    outputs: Row = {}
    for component in chain.components:
        result = _attempt_row(row, component, "integrated", partial(_run_wired, chain, component, data, outputs))
        if result is None:
            break
        outputs[component] = result
    return outputs


def _run_from_simulated(
    chain: Chain, data: Mapping[str, Row], row: Row, simulated: Mapping[str, Mapping[str, Any]]
) -> Row:
    """The outputs of all components when some are simulated: only those downstream of them run again."""
    outputs: Row = {}
    changed = set(simulated)
    for component in chain.components:
        recorded = row["actual"].get(component)
        if component in simulated:
            outputs[component] = {**(recorded or {}), **simulated[component]}
        elif (
            changed.isdisjoint(upstream for upstream, _ in chain.upstream(component).values()) and recorded is not None
        ):
            outputs[component] = recorded
        else:
            result = _attempt_row(row, component, "simulated", partial(_run_wired, chain, component, data, outputs))
            if result is None:
                break
            outputs[component] = result
            changed.add(component)
    return outputs


def _run_wired(chain: Chain, component: str, data: Mapping[str, Row], outputs: Row) -> Row:
    return chain.components[component].run(chain.gather(component, dict(data), outputs))


def _attempt_row(row: Row, component: str, mode: str, call: Callable[[], Row]) -> Row | None:
    try:
        outputs = call()
        require_json(outputs, component or "outputs")
        return outputs
    except Exception as error:  # noqa: BLE001  # any failure of a row is recorded, and the run continues
        failure = {"component": component, "mode": mode, "kind": type(error).__name__, "message": str(error)}
        if isinstance(error, ReplyError):
            failure["reply"] = error.reply  # an unreadable reply is still the model's text
        row["errors"].append(failure)
        return None


def _run_in_order(call: Callable[[Any], Row], work: Iterator[Any], workers: int) -> Iterator[Row]:
    """Yield results in the order of the work, running at most a few rows ahead of the consumer."""
    if workers <= 1:
        yield from map(call, work)
        return
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[Row]] = deque()
        try:
            for item in work:
                waiting.append(pool.submit(call, item))
                if len(waiting) >= workers * _WINDOW:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
