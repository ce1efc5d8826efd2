"""The `git` program through GitPython: fixed verbs, constant options, our own environment.

The only module that imports git.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from git import Git
from git.exc import GitCommandError, GitCommandNotFound

from registry.journal import mirror_paths
from registry.mirror.errors import DiskFull, GitFailed, GitMissing, MirrorError

__all__ = ["Files", "Program", "shorten_messages"]

_OPTIONS = (
    "core.hooksPath=/dev/null",
    "core.fsync=committed",  # a finished catch-up survives a power loss
    "core.commitGraph=false",  # a cache that could contradict the commits
    "core.fsmonitor=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.quotePath=true",
    "gc.auto=0",
    "i18n.logOutputEncoding=UTF-8",
    "log.showSignature=false",  # would run a program from a clone's configuration
    "protocol.ext.allow=never",
    "safe.directory=*",  # the folder belongs to this instance, whatever its owner in a container
)
_MISSING = "The `git` program was not found; the mirror needs it."
_PIPE = -1  # subprocess.PIPE
_NO_SPACE = "No space left on device"  # in git's messages, which are in English (LC_ALL)


class Program:
    """Git in one repository. `lock_fd` is inherited by every writing process, so that one that outlives its parent
    still holds the writer's lock.
    """

    def __init__(self, path: Path, lock_fd: int | None = None) -> None:
        self._path = path
        self._git = Git(path)
        self._git.update_environment(**_build_environment(path))
        self._passed = () if lock_fd is None else (lock_fd,)

    def read(self, *arguments: str) -> bytes:
        """Run a reading verb and return its output. Raises GitFailed if it fails."""
        return self._run_checked(*arguments)

    def write(self, *arguments: str) -> None:
        """Run a verb that writes. Raises GitFailed if it fails."""
        self._run_checked(*arguments, pass_fds=self._passed)

    def run(
        self,
        *arguments: str,
        pass_fds: tuple[int, ...] = (),
        environment: Mapping[str, str] | None = None,
        seconds: float | None = None,
    ) -> tuple[int, bytes, str]:
        """Run git and return exit status, output and messages. `environment` is for this run only; git is ended
        after `seconds`.
        """
        try:
            status, out, err = self._git.execute(
                self._build_command(*arguments),
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                pass_fds=pass_fds,
                env=environment,
                kill_after_timeout=seconds,
            )
        except GitCommandNotFound as error:
            raise GitMissing(_MISSING) from error
        return status, out, err

    @contextmanager
    def start(self, *arguments: str) -> Iterator[Any]:
        """A running process with pipes, awaited at the end of the block. Raises GitFailed if it fails.

        Its input is closed at the end of the block, which makes git exit. It has its own process group: Ctrl-C in a
        terminal or a stopping supervisor signals this process's group, which can then finish its batch.
        """
        command = self._build_command(*arguments)
        try:
            process = self._git.execute(command, as_process=True, istream=_PIPE, pass_fds=self._passed, process_group=0)
        except GitCommandNotFound as error:
            raise GitMissing(_MISSING) from error
        try:
            yield process
            process.stdin.close()
            process.wait()
        except BrokenPipeError as error:
            raise self._describe_failure(f"git {arguments[0]} ended early", _read_last_lines(process)) from error
        except GitCommandError as error:
            raise self._describe_failure(f"git {arguments[0]} failed", error.stderr) from error
        finally:
            for pipe in (process.stdin, process.stdout, process.stderr):
                _close(pipe)

    def _build_command(self, *arguments: str) -> list[str]:
        options = [part for option in _OPTIONS for part in ("-c", option)]
        return [str(self._git.GIT_PYTHON_GIT_EXECUTABLE), *options, *arguments]

    def _run_checked(self, *arguments: str, pass_fds: tuple[int, ...] = ()) -> bytes:
        status, out, err = self.run(*arguments, pass_fds=pass_fds)
        if status:
            raise self._describe_failure(f"git {arguments[0]} ended with status {status}", err)
        return out

    def _describe_failure(self, failure: str, messages: bytes | str) -> GitFailed:
        shortened = shorten_messages(messages)
        if _NO_SPACE in shortened:
            return DiskFull(f"The disk of {self._path} is full, so Git can't write. Make room; nothing is lost.")
        return GitFailed(f"{failure}: {shortened}")


def _build_environment(path: Path) -> dict[str, str]:
    """The environment without any of the machine's or the user's git settings; inherited GIT_* variables are
    overridden.
    """
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
        # No verb but push may use the network, not even to fetch missing objects of a clone.
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_GRAFT_FILE": str(path / "no-grafts"),
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",  # ignore replace refs: the actual objects are read
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_REFLOG_ACTION": "mirror",
        "LC_ALL": "C",
        "TZ": "UTC",
    }


def _read_last_lines(process: Any) -> str:
    """The reason why a process stopped accepting input."""
    try:
        process.wait()
    except GitCommandError as error:
        return shorten_messages(error.stderr)
    return "it took no more input"


def _close(pipe: Any) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        pass  # the remaining input has no reader any more


def shorten_messages(stderr: bytes | str) -> str:
    """The end of git's messages, on one line of at most 500 characters."""
    text = stderr.decode("utf-8", "replace") if isinstance(stderr, bytes) else stderr
    return " ".join(text.split())[-500:]


class Files:
    """Reads files by commit and path from the pipes of a running batch."""

    def __init__(self, questions: BinaryIO, answers: BinaryIO) -> None:
        self._questions = questions
        self._answers = answers

    def read(self, commit: str, path: str) -> bytes:
        """The bytes of the file. Raises MirrorError, which doesn't name the commit, if it doesn't have that path."""
        self._questions.write(f"{commit}:{mirror_paths.check_path(path)}\n".encode("ascii"))
        self._questions.flush()
        header = self._answers.readline().decode("utf-8", "replace").split()
        if len(header) != 3 or header[1] != "blob":
            raise MirrorError(f"it has no file {path}.")
        content = self._answers.read(int(header[2]))
        self._answers.read(1)  # the newline that ends a response
        return content
