"""BoundedRenderer: handles each request for an untrusted template in a fresh child process with limits.

A small fork server is started on first use (`renderer/isolation/fork_server.py`) and forks a child for each request.
Any number of threads may share one BoundedRenderer, as each waits on its own socket. Whatever an author's template does
to its child - loops, memory, crashes - ends with the child, and the caller gets a LimitError with the author's line.
"""

import logging
import os
import threading
from collections.abc import Mapping
from typing import Any

from promptuary.renderer import errors, profiles
from promptuary.renderer.after_fork import run_after_fork
from promptuary.renderer.document import parser as documents
from promptuary.renderer.errors import LimitError, RenderError
from promptuary.renderer.isolation import crash_line, process
from promptuary.renderer.isolation.calls import BoundedCalls
from promptuary.renderer.isolation.examined import ExaminedDocument
from promptuary.renderer.isolation.process import BusyError, Exchange
from promptuary.renderer.problems import Problem
from promptuary.renderer.tokens import tokenizers

__all__ = ["CLOCK_FACTOR", "BoundedRenderer", "BusyError"]

_log = logging.getLogger(__name__)
_TOKENIZERS = frozenset(tokenizers.list_tokenizer_names())
# Wall-clock limit of a child as a multiple of its CPU time, since it shares the CPU with others.
CLOCK_FACTOR = 5
# How long a caller waits for a free child.
_QUEUE_SECONDS = 10.0


class BoundedRenderer(BoundedCalls):
    """Renders, validates and compares in child processes.

    At most `max_children` run in parallel (default: the number of CPUs, at least 2) and `max_waiting` requests wait for
    one; further ones are refused with BusyError. A child gets `cpu_seconds` of CPU time, CLOCK_FACTOR times as much by
    the clock, `memory_bytes` beyond what the fork server has, and may answer `output_bytes`. `shared` is the path of a
    socket where a fork server shared by several processes listens; without one, or if none listens, a process starts
    its own. Arguments and results are plain JSON values, or the dataclasses of `renderer`.
    """

    def __init__(
        self,
        *,
        max_children: int | None = None,
        max_waiting: int = 16,
        cpu_seconds: float = 1.2,
        memory_bytes: int = 384 * 1024 * 1024,
        output_bytes: int = 8 * 1024 * 1024,
        shared: str | None = None,
    ) -> None:
        self.max_children = max_children or max(2, os.cpu_count() or 2)
        self.max_waiting = max_waiting
        self.cpu_seconds = cpu_seconds
        self.memory_bytes = memory_bytes
        self.output_bytes = output_bytes
        self._shared = shared
        self._fork_server = process.ForkServer(shared)
        self._renew_gate()
        # A forked copy of this process (a prefork worker) must share neither the fork server nor a lock held by a lost
        # thread.
        run_after_fork(self._reset_after_fork)

    def _renew_gate(self) -> None:
        self._free = threading.BoundedSemaphore(self.max_children)
        self._lock = threading.Lock()
        self._inside = 0

    def _reset_after_fork(self) -> None:
        self._fork_server = process.ForkServer(self._shared)
        self._renew_gate()

    def start(self, *vocabularies: str) -> None:
        """Start the fork server and load these vocabularies now, so that the first caller needn't wait.

        If that fails, the next request tries again and reports the error.
        """
        try:
            self._fork_server.order({"vocabularies": list(vocabularies)}, None)
        except OSError:
            return

    def close(self) -> None:
        """End the fork server. The next request starts another."""
        self._fork_server.close()

    def validate(
        self,
        document: str,
        *,
        fragments: Mapping[str, str] | None = None,
        profile: Mapping[str, Any] | str | None = None,
        samples: Mapping[str, Mapping[str, Any]] | None = None,
        cpu_seconds: float | None = None,
    ) -> list[Problem]:
        """As `renderer.validate`. A check that hits a limit adds a Problem at the line it was processing."""
        sources = {"document": document, "fragments": fragments, "profile": profile}
        seconds = cpu_seconds or self.cpu_seconds + 0.02 * len(samples or ())
        try:
            validation = self.call("validate", {**sources, "samples": samples}, seconds=seconds)
        except BusyError:
            raise
        except LimitError as error:
            return [*documents.inspect_document(document)[1], error.to_problem()]  # the checks that run nothing
        return [Problem.from_dict(problem) for problem in validation]

    def examine(
        self,
        document: str,
        data: Mapping[str, Any],
        *,
        fragments: Mapping[str, str] | None = None,
        profile: Mapping[str, Any] | str | None = None,
        samples: Mapping[str, Mapping[str, Any]] | None = None,
        target: str = "messages",
    ) -> ExaminedDocument:
        """As `examination.examine_document`: check a document and render a preview with data, in one child.

        Raises LimitError if a limit was hit; call `validate` and `render_with_placeholders` to find out in which of the
        two.
        """
        sources = {"document": document, "fragments": fragments, "profile": profile}
        request = {**sources, "samples": samples, "data": data, "target": target}
        seconds = 2 * self.cpu_seconds + 0.02 * len(samples or ())
        return ExaminedDocument.from_answer(self.call("examine", request, seconds=seconds))

    def render(
        self,
        document: str,
        data: Mapping[str, Any] | None = None,
        *,
        fragments: Mapping[str, str] | None = None,
        profile: Mapping[str, Any] | str | None = None,
        target: str = "messages",
        cpu_seconds: float | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Return `Prompt.to_dict(target)`, and its parts with their spans under "preview".

        `options` are those of `Template.render`: prompt, extra, token_limit, truncation_step, tokenizer (a known name).
        """
        sources = {"document": document, "fragments": fragments, "profile": profile}
        request = {**sources, "data": data or {}, "target": target, "options": _encode_options(options)}
        prompt: dict[str, Any] = self.call("render", request, seconds=cpu_seconds)
        return {**prompt, "preview": prompt["parts"]}

    def render_all(
        self,
        document: str,
        data: Mapping[str, Any] | None = None,
        *,
        fragments: Mapping[str, str] | None = None,
        profile: Mapping[str, Any] | str | None = None,
        target: str = "messages",
        cpu_seconds: float | None = None,
        **options: Any,
    ) -> list[dict[str, Any]]:
        """As `render`, for every prompt of the document."""
        sources = {"document": document, "fragments": fragments, "profile": profile}
        request = {**sources, "data": data or {}, "target": target, "options": _encode_options(options)}
        prompts = self.call("render_all", request, seconds=cpu_seconds)
        return [{**prompt, "preview": prompt["parts"]} for prompt in prompts]

    def render_with_placeholders(
        self,
        document: str,
        data: Mapping[str, Any] | None = None,
        *,
        fragments: Mapping[str, str] | None = None,
        profile: Mapping[str, Any] | str | None = None,
        target: str = "messages",
        cpu_seconds: float | None = None,
    ) -> tuple[list[dict[str, Any]], list[str]]:
        """As `render_all`, with a placeholder for each missing value; also returns the placeholders' paths."""
        arguments = {"document": document, "fragments": fragments, "profile": profile}
        request = {**arguments, "data": data or {}, "target": target}
        answer = self.call("render_with_placeholders", request, seconds=cpu_seconds)
        prompts = [{**prompt, "preview": prompt["parts"]} for prompt in answer["prompts"]]
        return prompts, answer["placeholders"]

    def render_samples(
        self,
        document: str,
        samples: Mapping[str, Mapping[str, Any]],
        *,
        fragments: Mapping[str, str] | None = None,
        profile: Mapping[str, Any] | str | None = None,
        target: str = "messages",
        cpu_seconds: float | None = None,
        traced: bool = False,
        **options: Any,
    ) -> dict[str, dict[str, Any] | RenderError]:
        """Render many samples in one child: {sample name: as `render`, or its error}.

        traced: each part also has `source_lines`, as in `origins.traced_parts.trace_source_lines`; that takes three to
        four times as long as the rendering.
        """
        sources = {"document": document, "fragments": fragments, "profile": profile}
        arguments = {"samples": samples, "target": target, "options": _encode_options(options), "traced": traced}
        seconds = cpu_seconds or self.cpu_seconds + (0.2 if traced else 0.1) * len(samples)
        results = self.call("render_samples", {**sources, **arguments}, seconds=seconds)
        return {
            name: {**result["prompt"], "preview": result["prompt"]["parts"]}
            if "prompt" in result
            else errors.from_dict(result["error"])
            for name, result in results.items()
        }

    def call(self, method: str, arguments: dict[str, Any], *, seconds: float | None = None) -> Any:
        """Run one method in a child; raises the error it raised."""
        text = str(arguments.get("document", ""))
        cpu_seconds = seconds or self.cpu_seconds
        order = {
            "cpu_seconds": cpu_seconds,
            "clock_seconds": CLOCK_FACTOR * cpu_seconds,
            "memory_bytes": self.memory_bytes,
            "vocabularies": _list_vocabularies(text, arguments.get("profile"), arguments.get("options")),
        }
        if method == "compare":
            arguments = {name: arguments[name] for name in ("old", "new")}
        request = process.pack_frame(process.REQUEST, {"method": method, "arguments": _convert_to_dicts(arguments)})
        with _Admission(self):
            answer = Exchange(self._fork_server, text, output_bytes=self.output_bytes).run(order, request)
        if "fault" in answer:
            _log.error("A rendering failed in a way it should not:\n%s", answer["fault"])
        if "error" in answer:
            error = errors.from_dict(answer["error"])
            if isinstance(error, LimitError) and error.place is None and text:
                error.located(crash_line.find_blamed_place(text, (), ""))
            raise error
        return answer["result"]


class _Admission:
    """A context manager that holds one of the slots for running children."""

    def __init__(self, owner: BoundedRenderer) -> None:
        self._owner = owner

    def __enter__(self) -> None:
        owner = self._owner
        with owner._lock:
            if owner._inside >= owner.max_children + owner.max_waiting:
                raise BusyError("Too many renderings are under way; try again in a moment.")
            owner._inside += 1
        if not owner._free.acquire(timeout=_QUEUE_SECONDS):
            self._leave()
            raise BusyError("No rendering came free in time; try again in a moment.")

    def __exit__(self, *_: object) -> None:
        self._owner._free.release()
        self._leave()

    def _leave(self) -> None:
        with self._owner._lock:
            self._owner._inside -= 1


def _convert_to_dicts(value: Any) -> Any:
    """Convert nested mappings of any kind to dicts."""
    return {key: _convert_to_dicts(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _encode_options(options: dict[str, Any]) -> dict[str, Any]:
    tokenizer = options.get("tokenizer")
    if tokenizer is not None and tokenizer not in tokenizers.list_tokenizer_names():
        raise errors.TokenizerError(
            f"There is no tokenizer named {tokenizer!r}; known are {', '.join(tokenizers.list_tokenizer_names())}."
        )
    return {key: value for key, value in options.items() if value is not None}


def _list_vocabularies(text: str, profile: Any, options: Any) -> list[str]:
    """The vocabulary a request will need, so that the fork server loads it before forking."""
    if options and options.get("tokenizer"):
        return [options["tokenizer"]]
    try:
        if profile is None:
            document, _ = documents.inspect_document(text)
            if document and document.profile:
                profile = document.profile
            elif document and document.model:
                profile = profiles.find_profile_of_model(document.model)
        if isinstance(profile, str):
            profile = profiles.find_builtin_profile(profile)
    except RenderError:
        profile = None  # the child reports the error
    name = profile.get("tokenizer") if isinstance(profile, Mapping) else None
    return [name if name in _TOKENIZERS else tokenizers.DEFAULT]
