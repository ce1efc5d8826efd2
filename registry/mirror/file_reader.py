"""Many files of a repository through one `git cat-file --batch`."""

from typing import BinaryIO

from registry.journal import mirror_paths
from registry.mirror.errors import MirrorError

__all__ = ["Files"]


class Files:
    """Reads files by commit and path from the pipes of a running batch."""

    def __init__(self, questions: BinaryIO, answers: BinaryIO) -> None:
        self._questions = questions
        self._answers = answers

    def read(self, commit: str, path: str) -> bytes:
        """The bytes of the file; MirrorError where the commit has none of that path."""
        self._questions.write(f"{commit}:{mirror_paths.check_path(path)}\n".encode("ascii"))
        self._questions.flush()
        header = self._answers.readline().decode("utf-8", "replace").split()
        if len(header) != 3 or header[1] != "blob":
            raise MirrorError(f"Commit {commit} has no file {path}.")
        content = self._answers.read(int(header[2]))
        self._answers.read(1)  # the newline that ends an answer
        return content
