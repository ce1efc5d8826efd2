"""The `git` program through GitPython: fixed verbs, constant options, an environment of our own. The only importer of
git.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from git import Git
from git.exc import GitCommandError, GitCommandNotFound

from registry.journal import mirror_paths
from registry.mirror.errors import GitFailed, GitMissing, MirrorError

__all__ = ["Files", "Program", "shorten_messages"]

_OPTIONS = (
    "core.hooksPath=/dev/null",
    "core.fsync=committed",  # an answered catch-up survives a power cut
    "core.commitGraph=false",  # a cache that could say other than the commits do
    "core.fsmonitor=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.quotePath=true",
    "gc.auto=0",
    "i18n.logOutputEncoding=UTF-8",
    "log.showSignature=false",  # would run a program that a clone's configuration names
    "protocol.ext.allow=never",
    "safe.directory=*",  # the folder is this instance's own, whoever owns it in a container
)
_PIPE = -1  # subprocess.PIPE


class Program:
    """Git in one repository. `lock_fd` goes to every process that writes, so that one that outlives its parent still
    holds the writer's lock."""

    def __init__(self, path: Path, lock_fd: int | None = None) -> None:
        self._git = Git(path)
        self._git.update_environment(**_environment(path))
        self._passed = () if lock_fd is None else (lock_fd,)

    def read(self, *arguments: str) -> bytes:
        """What a reading verb prints. Raises GitFailed if it fails."""
        return self._checked(*arguments)

    def write(self, *arguments: str) -> None:
        """Run a verb that writes. Raises GitFailed if it fails."""
        self._checked(*arguments, pass_fds=self._passed)

    def run(
        self,
        *arguments: str,
        pass_fds: tuple[int, ...] = (),
        environment: Mapping[str, str] | None = None,
        seconds: float | None = None,
    ) -> tuple[int, bytes, str]:
        """Exit status, output and messages. `environment` is for this run only; it is ended after so many seconds."""
        try:
            status, out, err = self._git.execute(
                self._command(*arguments),
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                pass_fds=pass_fds,
                env=environment,
                kill_after_timeout=seconds,
            )
        except GitCommandNotFound as error:
            raise GitMissing("The `git` program was not found; the mirror needs it.") from error
        return status, out, err

    @contextmanager
    def start(self, *arguments: str) -> Iterator[Any]:
        """A running process with pipes, to read from and write to; waited for at the end, GitFailed if it fails.

        Its input is closed at the end of the block, which makes git end. It is in a process group of its own: Ctrl-C in
        a terminal, or a supervisor that stops, signals the group of this process, which then finishes its batch.
        """
        process = self._git.execute(
            self._command(*arguments), as_process=True, istream=_PIPE, pass_fds=self._passed, process_group=0
        )
        try:
            yield process
            process.stdin.close()
            process.wait()
        except BrokenPipeError as error:
            raise GitFailed(f"git {arguments[0]} ended early: {_last_words(process)}") from error
        except GitCommandError as error:
            raise GitFailed(f"git {arguments[0]} failed: {shorten_messages(error.stderr)}") from error
        finally:
            for pipe in (process.stdin, process.stdout, process.stderr):
                _close(pipe)

    def _command(self, *arguments: str) -> list[str]:
        options = [part for option in _OPTIONS for part in ("-c", option)]
        return [str(self._git.GIT_PYTHON_GIT_EXECUTABLE), *options, *arguments]

    def _checked(self, *arguments: str, pass_fds: tuple[int, ...] = ()) -> bytes:
        status, out, err = self.run(*arguments, pass_fds=pass_fds)
        if status:
            raise GitFailed(f"git {arguments[0]} ended with status {status}: {shorten_messages(err)}")
        return out


def _environment(path: Path) -> dict[str, str]:
    """Nothing of the machine's or the caller's git settings reaches us; inherited GIT_* variables are overruled."""
    return {
        "GIT_DIR": str(path),
        "GIT_OBJECT_DIRECTORY": str(path / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": "",
        "GIT_COMMON_DIR": str(path),
        "GIT_NAMESPACE": "",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_COUNT": "0",
        "GIT_CONFIG_PARAMETERS": "",
        "GIT_TERMINAL_PROMPT": "0",
        # No verb but a push has business on the network, fetching what a clone lacks included.
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_GRAFT_FILE": str(path / "no-grafts"),
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",  # what is there is read, not what somebody wants seen in its place
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_REFLOG_ACTION": "mirror",
        "LC_ALL": "C",
        "TZ": "UTC",
    }


def _last_words(process: Any) -> str:
    """Why a process ended that took no more input."""
    try:
        process.wait()
    except GitCommandError as error:
        return shorten_messages(error.stderr)
    return "it took no more input"


def _close(pipe: Any) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        pass  # what was still to be written has no reader any more


def shorten_messages(stderr: bytes | str) -> str:
    """The end of what git said, on one line of at most 500 characters."""
    text = stderr.decode("utf-8", "replace") if isinstance(stderr, bytes) else stderr
    return " ".join(text.split())[-500:]


class Files:
    """Reads files by commit and path from the pipes of a running batch."""

    def __init__(self, questions: BinaryIO, answers: BinaryIO) -> None:
        self._questions = questions
        self._answers = answers

    def read(self, commit: str, path: str) -> bytes:
        """The bytes of the file. Raises MirrorError if the commit has none of that path."""
        self._questions.write(f"{commit}:{mirror_paths.check_path(path)}\n".encode("ascii"))
        self._questions.flush()
        header = self._answers.readline().decode("utf-8", "replace").split()
        if len(header) != 3 or header[1] != "blob":
            raise MirrorError(f"Commit {commit} has no file {path}.")
        content = self._answers.read(int(header[2]))
        self._answers.read(1)  # the newline that ends an answer
        return content
