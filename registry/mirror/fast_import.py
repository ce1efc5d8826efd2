"""Entries as a `git fast-import` stream.

Pure: the same entries after the same heads result in the same bytes and commit ids.
"""

from collections.abc import Iterator, Mapping, Sequence

from registry.journal import mirror_paths
from registry.journal.mirroring import Move
from registry.mirror.commit_message import Entry, compose_message, write_author_line, write_committer_line

__all__ = ["CHECKPOINT", "build_stream"]

CHECKPOINT = b"checkpoint\n\n"


def build_stream(
    entries: Sequence[Entry], heads: Mapping[str, str], last_numbers: Mapping[str, int]
) -> Iterator[bytes]:
    """The stream in chunks, with `done` at its end.

    `heads` maps a ref to its commit, `last_numbers` a ref to the number of its last event. Labels' branches come first
    and a checkpoint makes them durable before `main` moves. A process killed in between leaves a label's branch ahead
    of `main`, never behind, and the entries that it already contains are left out next time.
    """
    blobs = _number_blobs(entries)
    for content, mark in blobs.items():
        yield b"blob\nmark :%d\n%s" % (mark, _write_data(content))
    started: set[str] = set()
    has_moved = False
    for entry in entries:
        for move in entry.moves:
            if entry.number > last_numbers.get(move.ref, 0):
                yield _commit(entry, move, blobs, _find_parent(move.ref, heads, started))
                has_moved = True
    if has_moved:
        yield CHECKPOINT
    for entry in entries:
        if entry.number > last_numbers.get(mirror_paths.MAIN, 0):
            main = Move(mirror_paths.MAIN, entry.files, entry.renames)
            yield _commit(entry, main, blobs, _find_parent(mirror_paths.MAIN, heads, started))
    yield b"done\n"


def _number_blobs(entries: Sequence[Entry]) -> dict[bytes, int]:
    contents: dict[bytes, int] = {}
    for entry in entries:
        changes = (entry.files, *(move.files for move in entry.moves))
        for content in (content for files in changes for content in files.values()):
            if content is not None:
                contents.setdefault(content, len(contents) + 1)
    return contents


def _find_parent(ref: str, heads: Mapping[str, str], started: set[str]) -> bytes:
    """The `from` line of a ref's first commit in this stream; later ones follow implicitly."""
    if ref in started or ref not in heads:
        started.add(ref)
        return b""
    started.add(ref)
    return b"from %s\n" % heads[ref].encode("ascii")


def _commit(entry: Entry, move: Move, blobs: Mapping[bytes, int], parent: bytes) -> bytes:
    lines = [
        b"commit %s\n" % move.ref.encode("ascii"),
        b"author %s\n" % write_author_line(entry).encode(),
        b"committer %s\n" % write_committer_line(entry).encode(),
        _write_data(compose_message(entry).encode()),
        parent,
    ]
    for old, new in sorted(move.renames.items()):
        lines.append(b"R %s %s\n" % (_quote_path(old), _quote_path(new)))
    for path, content in sorted(move.files.items()):
        name = _quote_path(path)
        lines.append(b"D %s\n" % name if content is None else b"M 100644 :%d %s\n" % (blobs[content], name))
    return b"".join(lines) + b"\n"


def _quote_path(path: str) -> bytes:
    return mirror_paths.check_path(path).encode("ascii")


def _write_data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)
