"""The process that bounded rendering forks from: `python -m promptuary.renderer.isolation.fork_server <descriptor>`.

It imports the renderer and loads vocabularies once, then forks a child for every request that comes over a control
socket. The child confines itself, reads one request from its own socket, answers and ends; nothing it did outlives it.
The descriptor is a control socket, or a listening one where several processes share the fork server: then each
connection of a process of the same user is a control socket. It ends when its one control socket closes, or with the
process that started it.
"""

import base64
import ctypes
import faulthandler
import gc
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import jsonschema  # noqa: F401 - children find it loaded
import re2  # noqa: F401

from promptuary import renderer
from promptuary.renderer.errors import LimitError, RenderError
from promptuary.renderer.free_memory import release_memory
from promptuary.renderer.interop import pasted, reading, writing
from promptuary.renderer.isolation import process
from promptuary.renderer.isolation.confinement import Confinement, probe
from promptuary.renderer.jinja import program
from promptuary.renderer.origins.edit_outcomes import LineEdit
from promptuary.renderer.origins.line_edits import edit_rendered_lines
from promptuary.renderer.origins.traced_parts import trace_source_lines
from promptuary.renderer.replies import reply_fields
from promptuary.renderer.schemas import validation
from promptuary.renderer.tokens import tokenizers
from promptuary.renderer.validation.placeholder_preview import render_with_placeholders

__all__ = ["main"]

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_ORDER_BYTES = 64 * 1024
_CREDENTIALS = struct.Struct("3i")  # of the process at the other end: its id, its user, its group


def main() -> None:
    """Serve the control socket whose descriptor is the first argument until it closes."""
    first = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the children
    _import_everything()
    confinement = Confinement()
    gc.collect()
    release_memory()
    gc.freeze()  # keeps the collector off pages shared with the children
    is_shared = bool(first.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
    sockets = [first]
    while sockets:
        ready, _, _ = select.select(sockets, [], [])
        for each in ready:
            if is_shared and each is first:
                sockets += _accept(first)
            elif not _take_order(each, sockets, confinement):
                each.close()
                sockets.remove(each)


def _accept(listener: socket.socket) -> list[socket.socket]:
    """The connection of another process of this user, or none."""
    connection, _ = listener.accept()
    if hasattr(socket, "SO_PEERCRED"):
        _, user, _ = _CREDENTIALS.unpack(
            connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        )
        if user != os.getuid():
            connection.close()
            return []
    return [connection]


def _take_order(control: socket.socket, sockets: list[socket.socket], confinement: Confinement) -> bool:
    """Fork a child for the order that is there to be read; whether the control socket is still open."""
    try:
        message, descriptors, _, _ = socket.recv_fds(control, _ORDER_BYTES, 1)
        if not message:
            return False
        control.sendall(b"\1")
    except OSError:  # the other process has gone
        return False
    order = json.loads(message)
    _warm(order["vocabularies"])
    if not descriptors:
        return True
    if os.fork() == 0:
        for each in sockets:
            each.close()
        _serve(socket.socket(fileno=descriptors[0]), order, confinement)
    os.close(descriptors[0])
    return True


def _import_everything() -> None:
    """Load what is otherwise loaded when first used, so that no child does it again."""
    for name in renderer.__all__:
        getattr(renderer, name)
    front = "---\ninputs: {a: {type: string, pattern: x}}\noutput: {schema: {type: object}}\n---\n"
    sample = {"a": "no"}
    renderer.validate(front + "- name: a\n  content: {{ a }}\n", {"sample": sample})
    renderer.load(front + "- name: a\n  content: b\n").read('{"x": 1', sample)
    reading.read_files({"a.txt": b"Hi {name}", "a.py": b"PROMPT = 'x'", "a.md": b"---\na: 1\n---\n{{#if a}}b{{/if}}"})
    for form in writing.EXPORT_FORMATS:
        writing.convert_document(form, "---\nformat: text\n---\nHi {{ name }}", "a", {})
    "".encode("cp437")  # names in archives


def _warm(names: list[str]) -> None:
    """Load vocabularies before the fork, so that no child spends its time on it and all share their memory."""
    for name in names:
        try:
            tokenizer = tokenizers.find_tokenizer(name)
            if isinstance(tokenizer, tokenizers.VocabularyTokenizer):
                tokenizer.load()
            tokenizer.count("warm")
        except RenderError:
            continue  # the child meets the same error and reports it


def _confine(order: dict[str, Any]) -> None:
    """Take from this process what a rendering doesn't need."""
    if sys.platform == "linux":
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        with open("/proc/self/statm", encoding="ascii") as file:
            used_bytes = int(file.read().split()[0]) * resource.getpagesize()
        _limit(resource.RLIMIT_AS, used_bytes + order["memory_bytes"])
    seconds = int(order["wall_seconds"]) + 2
    _limit(resource.RLIMIT_CPU, seconds)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, 16)


def _limit(kind: int, value: int) -> None:
    try:
        resource.setrlimit(kind, (value, value))
    except (OSError, ValueError):
        pass  # a lower limit is in force already, or this system has none of the kind


def _serve(connection: socket.socket, order: dict[str, Any], confinement: Confinement) -> None:
    """Answer one request and end the process, whatever happens."""
    status = 1
    try:
        _confine(order)
        connection.sendall(process.pack_frame(process.NOTE, {"started": os.getpid()}))
        request = process.read_frame(connection)
        program.on_compiled = lambda file, lines: connection.sendall(
            process.pack_frame(process.NOTE, {"file": file, "lines": lines})
        )
        _arm(connection, order["wall_seconds"])
        confinement.apply()  # last: what is armed needs a thread
        connection.sendall(process.pack_frame(process.ANSWER, _answer(request)))
        status = 0
    except (OSError, EOFError):
        pass  # the caller has gone: nobody is left to tell
    finally:
        os._exit(status)


def _arm(connection: socket.socket, seconds: float) -> None:
    """See to it that this process ends in time, leaving its stack on the socket, even inside one long C call."""
    faulthandler.enable(file=connection)
    faulthandler.dump_traceback_later(seconds, exit=True, file=connection)
    _limit_threads()
    # The second net, a kernel timer, needs neither a thread nor the interpreter.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + 0.3)


def _limit_threads() -> None:
    if hasattr(resource, "RLIMIT_NPROC") and threading.active_count() == 1:
        _limit(resource.RLIMIT_NPROC, 0)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"result": _METHODS[request["method"]](**request["arguments"])}
    except RenderError as error:
        return {"error": _as_limit(error).to_dict()}
    except (MemoryError, RecursionError) as error:
        return {"error": _exhausted(error).to_dict()}
    except Exception as error:  # noqa: BLE001
        # A fault of ours must reach the log and the caller; it must not look like a bound.
        message = (
            f"The renderer failed on this ({type(error).__name__}). That is a fault of Promptuary, not of the document."
        )
        return {"error": RenderError(message).to_dict(), "fault": traceback.format_exc(limit=-12)}


def _as_limit(error: RenderError) -> RenderError:
    """An error that was caused by want of memory is a LimitError at the same place."""
    if isinstance(error, LimitError) or not isinstance(error.__cause__ or error.__context__, MemoryError):
        return error
    return _exhausted(MemoryError()).located(error.place)


def _exhausted(error: BaseException) -> RenderError:
    if isinstance(error, MemoryError):
        return LimitError("This needs more memory than a rendering may take.")
    return LimitError("This is nested too deeply, or calls itself without end.")


def _validate(document: str, fragments: Any, profile: Any, samples: Any) -> Any:
    validation = renderer.validate(document, samples, fragments=fragments, profile=profile)
    return [problem.to_dict() for problem in validation]


def _render(document: str, fragments: Any, profile: Any, data: Any, target: Any, options: dict[str, Any]) -> Any:
    template = renderer.load(document, fragments=fragments, profile=profile)
    return template.render(data, **options).to_dict(target)


def _render_all(document: str, fragments: Any, profile: Any, data: Any, target: Any, options: dict[str, Any]) -> Any:
    template = renderer.load(document, fragments=fragments, profile=profile)
    return [prompt.to_dict(target) for prompt in template.render_all(data, **options)]


def _render_with_placeholders(document: str, fragments: Any, profile: Any, data: Any, target: Any) -> Any:
    template = renderer.load(document, fragments=fragments, profile=profile)
    prompts, placeholders = render_with_placeholders(template, data)
    return {"prompts": [prompt.to_dict(target) for prompt in prompts], "placeholders": placeholders}


def _render_samples(  # one argument a field of the request
    document: str, fragments: Any, profile: Any, samples: Any, target: Any, options: Any, traced: bool
) -> Any:
    """Each sample's prompt or error, the template compiled once; traced: its parts with their `source_lines`."""
    template = renderer.load(document, fragments=fragments, profile=profile)
    results: dict[str, dict[str, Any]] = {}
    for name, data in samples.items():
        try:
            results[name] = {"prompt": template.render(data, **options).to_dict(target)}
            if traced:
                _add_source_lines(results[name]["prompt"]["parts"], template, data)
        except RenderError as error:
            results[name] = {"error": _as_limit(error).to_dict()}
    return results


def _edit_lines(document: str, fragments: Any, profile: Any, data: Any, lines: dict[str, Any]) -> Any:
    """The edit of the document that a suggestion on rendered lines comes to, or why there is none."""
    template = renderer.load(document, fragments=fragments, profile=profile)
    try:
        found = edit_rendered_lines(template, data, **lines)
    except IndexError:
        return {}
    return {"edit" if isinstance(found, LineEdit) else "refused": found.to_dict()}


def _add_source_lines(parts: list[dict[str, Any]], template: renderer.Template, data: Any) -> None:
    try:
        lines = trace_source_lines(template, data)
    except RenderError:  # a bound that the rendering itself kept to
        lines = []
    for index, part in enumerate(parts):
        part["source_lines"] = lines[index] if lines else []


def _compare(old: Any, new: Any) -> Any:
    return [change.to_dict() for change in renderer.compare(renderer.from_bundle(old), renderer.from_bundle(new))]


def _read(document: str, fragments: Any, profile: Any, replies: Any, data: Any) -> Any:
    return renderer.load(document, fragments=fragments, profile=profile).read(replies, data)


def _read_many(document: str, fragments: Any, profile: Any, rows: dict[str, Any]) -> Any:
    """Each row's outputs or error, the template compiled once."""
    template = renderer.load(document, fragments=fragments, profile=profile)
    results: dict[str, dict[str, Any]] = {}
    for name, row in rows.items():
        try:
            results[name] = {"outputs": template.read(row["replies"], row["data"])}
        except RenderError as error:
            results[name] = {"error": _as_limit(error).to_dict()}
    return results


def _read_fields(document: str, fragments: Any, profile: Any, reply: str, data: Any) -> Any:
    template = renderer.load(document, fragments=fragments, profile=profile)
    return reply_fields.read_reply_fields(template.document, reply, lambda: template.read(reply, data))


def _check_schema(schema: Any, value: Any) -> str | None:
    try:
        error = validation.check_schema(schema)
        if error is None and value is not None:
            error = validation.best_error(schema, value)
    except validation.Unusable as failure:
        return str(failure)
    if error is not None:
        path = "/".join(map(str, error.absolute_path))
        return f"{path}: {error.message}" if path else error.message
    return None


def _read_templates(files: dict[str, str], source_format: str) -> Any:
    """The templates of files whose bytes are in base64."""
    contents = {path: base64.b64decode(content) for path, content in files.items()}
    return [result.to_dict() for result in reading.read_files(contents, source_format)]


def _read_pasted_prompt(text: str, as_document: bool) -> Any:
    found = pasted.read_pasted_prompt(text, as_document=as_document)
    return found.to_dict() if found else None


def _convert_document(form: str, document: str, name: str, fragments: dict[str, str]) -> Any:
    return asdict(writing.convert_document(form, document, name, fragments))


_METHODS: dict[str, Callable[..., Any]] = {
    "validate": _validate,
    "render": _render,
    "render_all": _render_all,
    "render_samples": _render_samples,
    "render_with_placeholders": _render_with_placeholders,
    "edit_lines": _edit_lines,
    "compare": _compare,
    "read": _read,
    "read_many": _read_many,
    "read_fields": _read_fields,
    "check_schema": _check_schema,
    "read_templates": _read_templates,
    "read_pasted_prompt": _read_pasted_prompt,
    "convert_document": _convert_document,
    "probe": probe,
}

if __name__ == "__main__":
    main()
