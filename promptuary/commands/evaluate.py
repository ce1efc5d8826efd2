"""`promptuary test`: evaluate a document on disk over a dataset, offline; exit code 1 on a regression."""

import json
import logging
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from promptuary import evaluation, renderer
from promptuary.commands.api import vocabulary_source
from promptuary.commands.documents import load_document
from promptuary.commands.evaluation_report import (
    EvaluationReport,
    print_report,
    render_html,
    write_findings,
    write_reports,
)
from promptuary.commands.judging import (
    JudgeDocument,
    JudgeModel,
    JudgePlaces,
    judge_rows,
    list_unjudged_rows,
)
from promptuary.commands.output import FINDINGS, Json, Key, Url, UsageError, handle_errors
from promptuary.evaluation import datasets, gates
from promptuary.renderer.files import save_file
from promptuary.renderer.tokens.vocabularies import VocabularySource
from promptuary.workspace import DOCUMENT, read_document_text, read_samples

__all__ = ["evaluate"]

Document = Annotated[Path, typer.Argument(metavar="FILE", help="Document (*.yml.j2) to test.")]
Rows = Annotated[
    Path | None,
    typer.Option(
        "--dataset", help="Dataset: a CSV, JSONL or YAML file, or a BEIR folder. Default: the document's samples."
    ),
]
Model = Annotated[
    str,
    typer.Option(
        "--model",
        help="Model to call: a name (with --model-url), recorded:FILE.jsonl, or echo to get the prompt back.",
    ),
]
ModelUrl = Annotated[
    str,
    typer.Option(
        "--model-url",
        envvar="PROMPTUARY_MODEL_URL",
        help="Base address of an OpenAI-compatible API, such as https://api.openai.com/v1.",
    ),
]
ModelKey = Annotated[
    str, typer.Option("--model-key", envvar="PROMPTUARY_MODEL_KEY", help="API key for --model-url.", show_envvar=True)
]
Gates = Annotated[
    list[str] | None,
    typer.Option(
        "--gate",
        help="Gate: 'squad_f1 >= 0.8', or 'squad_f1 - 0.02' for at most 0.02 below --baseline. Can be repeated.",
    ),
]
Baseline = Annotated[
    Path | None, typer.Option("--baseline", help="Earlier result to compare with: a file that --save wrote.")
]
Save = Annotated[Path | None, typer.Option("--save", help="File to save the result to, for a later --baseline.")]
Junit = Annotated[Path | None, typer.Option("--junit", help="File to write a JUnit report to.")]
Markdown = Annotated[Path | None, typer.Option("--markdown", help="File to write a Markdown report to.")]
Html = Annotated[
    Path | None,
    typer.Option("--html", help="File to write an HTML report to, with a plot, the worst rows and the differences."),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric", help="Metric to report in addition to those of the gates, such as squad_f1. Can be repeated."
    ),
]
Workers = Annotated[int, typer.Option("--workers", min=1, max=64, help="Number of rows to run in parallel.")]


def evaluate(  # noqa: PLR0913, PLR0917  # an argument an option of the command
    document: Document,
    dataset: Rows = None,
    model: Model = "echo",
    model_url: ModelUrl = "",
    model_key: ModelKey = "",
    gate: Gates = None,
    baseline: Baseline = None,
    save: Save = None,
    junit: Junit = None,
    markdown: Markdown = None,
    html: Html = None,
    metric: Metrics = None,
    workers: Workers = 4,
    judge: JudgeDocument = None,
    judge_model: JudgeModel = "",
    judge_path: JudgePlaces = None,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Run a document over a dataset and check the result against gates.

    A vocabulary that is not installed is fetched from the registry if --url is given.
    """
    with handle_errors(as_json), vocabulary_source(url, key) as source:
        try:
            bounds = [gates.parse_gate(text) for text in gate or []]
            rows = _read_rows(document, dataset)
            runnable = evaluation.TemplateRunnable(_load(document, source), _find_model(model, model_url, model_key))
            result = _run(runnable, rows, workers, quiet=as_json)
            if judge or judge_model or judge_path:
                judge_template = _find_judge(judge, judge_model or model, model_url, model_key, source)
                result = judge_rows(result, judge_template, judge_path or [], workers)
            before = evaluation.EvaluationResult.load(baseline) if baseline else None
            report = _build_report(document, rows, result, bounds, before, metric or [])
            page = render_html(report, bounds, before) if html else ""
        except evaluation.EvaluationError as error:
            raise UsageError(str(error)) from error
        if save:
            result.save(save)  # first, because the model's replies may have cost money
        if html:
            save_file(html, page.encode("utf-8"))
        write_reports(report, junit, markdown)
        if as_json:
            write_findings(report)
        else:
            print_report(report)
    if report.has_failed:
        raise typer.Exit(FINDINGS)


def _build_report(
    document: Path,
    rows: datasets.Dataset,
    result: evaluation.EvaluationResult,
    bounds: list[gates.Gate],
    before: evaluation.EvaluationResult | None,
    metrics: list[str],
) -> EvaluationReport:
    return EvaluationReport(
        title=f"{document.name} on {rows.name}",
        rows=rows,
        result=result,
        verdicts=gates.judge(result, bounds, before),
        errors=list(result.errors()),
        not_judged=list_unjudged_rows(result),
        scores={name: result.calculate_metrics(name) for name in dict.fromkeys(metrics)},
    )


def _read_rows(document: Path, dataset: Path | None) -> datasets.Dataset:
    _require_document(document)
    if dataset is not None:
        return datasets.read(dataset)
    samples = read_samples(document)
    if not samples:
        raise UsageError(f"{document.name} has no samples: name a --dataset")
    return datasets.Dataset("samples", tuple(datasets.Row(inputs, None, name) for name, inputs in samples.items()))


def _load(document: Path, source: VocabularySource | None) -> renderer.Template:
    _require_document(document)
    return load_document(document, source)


def _require_document(path: Path) -> None:
    if not path.exists():
        raise UsageError(f"{path}: no such file. Give the path of a document, such as support/reply{DOCUMENT}")
    if not path.is_file():
        raise UsageError(f"{path} is a folder. Give the path of a document in it, such as {path / 'reply'}{DOCUMENT}")
    if not path.name.endswith(DOCUMENT):
        name = f"{path.name.partition('.')[0]}{DOCUMENT}"
        raise UsageError(
            f"{path}: the name of a document ends with {DOCUMENT}. If it is a document, rename it to {name}"
        )


def _find_judge(
    document: Path | None, model: str, url: str, key: str, source: VocabularySource | None
) -> evaluation.TemplateRunnable:
    if document is None:
        raise UsageError("--judge-model and --judge-path belong to a --judge")
    return evaluation.TemplateRunnable(_load(document, source), _find_model(model, url, key), name="judge")


def _find_model(name: str, url: str, key: str) -> evaluation.Model:
    if name == "echo":
        return evaluation.EchoModel()
    if name.startswith("recorded:"):
        return evaluation.RecordedModel(_read_replies(Path(name.removeprefix("recorded:"))))
    if not url:
        raise UsageError(f"where is the model {name}? Give its --model-url, or use echo or recorded:FILE")
    logging.getLogger("stamina").setLevel(logging.ERROR)  # its lines contain neither the model nor the reason
    return evaluation.HTTPModel(name, url, key=key or None)


def _read_replies(path: Path) -> dict[str, str]:
    """Read replies by prompt digest, from lines {"prompt": "sha256:…", "reply": "…"}."""
    replies = {}
    for number, line in enumerate(read_document_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            replies[str(entry["prompt"])] = str(entry["reply"])
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path}:{number}: needs a mapping with prompt and reply") from error
    return replies


def _run(
    runnable: evaluation.Runnable, rows: datasets.Dataset, workers: int, *, quiet: bool
) -> evaluation.EvaluationResult:
    with Progress(console=Console(stderr=True), transient=True, disable=quiet) as bar:
        task = bar.add_task(rows.name, total=len(rows.rows))
        return evaluation.run(
            runnable,
            rows.inputs,
            rows.expected_outputs,
            on_progress=lambda done, _total: bar.update(task, completed=done),
            workers=workers,
        )
