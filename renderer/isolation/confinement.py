"""Confinement of child processes by the kernel: no sockets, files, processes or signals.

Jinja's sandbox and the process's limits come before this; it matters if they have a hole. Two mechanisms of Linux,
each applied if the kernel and a library for it are there (docs/decisions/021):

* seccomp (`pyseccomp`, over libseccomp): no sockets, no new processes or programs, no signals to others, no change of
  a file.
* Landlock (`landlock`): no file is opened but those of the interpreter and the renderer, and those to read only.

What is prepared once is used by every child; `probe`, run in a child, says what it can still do.
"""

import contextlib
import ctypes
import errno
import os
import socket
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

try:
    import pyseccomp
except (ImportError, RuntimeError, OSError):  # not installed, or no libseccomp, or no Linux
    pyseccomp = None
try:
    import landlock
    from landlock.plumbing import FSAccess
except (ImportError, AttributeError, OSError):  # not installed, or no Linux
    landlock = None

__all__ = ["Confinement", "probe"]

# Refused with EPERM, as the kernel refuses what a user may not do. Names that a machine lacks are passed over.
# Sending stays: the answer goes over a socket that is connected already.
_REFUSED = """
socket socketpair connect bind listen accept accept4
fork vfork clone execve execveat unshare setns
kill tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal pidfd_getfd
ptrace process_vm_readv process_vm_writev process_madvise kcmp
unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat mkdir mkdirat rmdir mknod mknodat creat
chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat truncate ftruncate fallocate utime utimes utimensat
futimesat
setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
mount umount2 pivot_root chroot move_mount open_tree fsopen fsmount fsconfig swapon swapoff
io_uring_setup io_uring_enter io_uring_register bpf perf_event_open userfaultfd memfd_create memfd_secret
keyctl add_key request_key init_module finit_module delete_module kexec_load kexec_file_load reboot
setuid setgid setreuid setregid setresuid setresgid setgroups capset iopl ioperm
open_by_handle_at name_to_handle_at quotactl acct settimeofday clock_settime sethostname setdomainname
""".split()
_C: Any = ctypes.CDLL(None, use_errno=True) if sys.platform.startswith("linux") else None
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_WRITING = os.O_WRONLY | os.O_RDWR  # of the flags of open


class Confinement:
    """Prepared in the fork server, which still may do everything; applied in each child, which then never may again."""

    def __init__(self) -> None:
        self._filter = _prepared(_make_filter)
        self._ruleset = _prepared(_make_ruleset)

    def apply(self) -> None:
        """Confine this process for good, as far as the kernel lets it. What it has open stays open."""
        if self._ruleset is not None:
            with contextlib.suppress(Exception):  # told by `probe`
                ctypes.set_errno(0)  # the library takes any error left there for one of its own
                self._ruleset.apply()
        if self._filter is not None:
            with contextlib.suppress(OSError):  # as above
                _load(self._filter)


def probe() -> list[str]:
    """What this process can still do of what no rendering needs, in words; empty if it is confined in full."""
    return [words for words, attempt in _ATTEMPTS.items() if _succeeds(attempt)]


def _prepared(make: Callable[[], Any]) -> Any:
    """What was made, or None if this machine can't."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        return make()
    except Exception:  # noqa: BLE001  # an old kernel, one without it, a container that forbids it: `probe` says so
        return None


def _make_filter() -> Any:
    if pyseccomp is None:
        return None
    syscall_filter = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    refuse = pyseccomp.ERRNO(errno.EPERM)
    for name in _REFUSED:
        with contextlib.suppress(OSError, ValueError):  # this machine has no such call
            syscall_filter.add_rule(refuse, name)
    with contextlib.suppress(OSError, ValueError):
        syscall_filter.add_rule(pyseccomp.KILL_PROCESS, "tgkill")  # so that `raise` and `abort` still end this one
    with contextlib.suppress(OSError, ValueError):
        syscall_filter.add_rule(
            pyseccomp.ERRNO(errno.ENOSYS), "clone3"
        )  # its flags can't be looked at; callers then use clone
    for name, argument in (("open", 1), ("openat", 2)):
        for flag in (os.O_WRONLY, os.O_RDWR):
            with contextlib.suppress(OSError, ValueError):
                syscall_filter.add_rule(refuse, name, pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, _WRITING, flag))
    with contextlib.suppress(OSError, ValueError):
        syscall_filter.add_rule(
            pyseccomp.ERRNO(errno.ENOSYS), "openat2"
        )  # the flags are behind a pointer; callers then use openat
    with tempfile.TemporaryFile() as file:
        syscall_filter.export_bpf(file)
        file.seek(0)
        return file.read()


class _Program(ctypes.Structure):
    """`struct sock_fprog`: how many instructions of eight bytes, and where they are."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def _load(program: bytes) -> None:
    """Have the kernel apply a program. The library's own `load` compiles it each time, which costs a child half a
    millisecond more."""
    program_at = ctypes.byref(_Program(len(program) // 8, program))
    if _C.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or _C.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program_at, 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel takes no seccomp filter")


def _make_ruleset() -> Any:
    if landlock is None:
        return None
    ctypes.set_errno(0)
    ruleset = landlock.Ruleset()
    for folder in _needed_folders():
        ruleset.allow(folder, rules=FSAccess.READ_FILE | FSAccess.READ_DIR)
    for file in _needed_files():
        ruleset.allow(file, rules=FSAccess.READ_FILE)
    return ruleset


def _needed_folders() -> Iterator[str]:
    """Where the interpreter, its packages and the renderer read code and tables from, should one be loaded late."""
    paths = sysconfig.get_paths()
    folders = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    # A venv that sees another's packages, or the system's, imports from there.
    folders |= {folder for folder in sys.path if Path(folder).name in ("site-packages", "dist-packages")}
    folders |= {str(Path(__file__).resolve().parent.parent), "/usr/share/zoneinfo"}
    return (folder for folder in sorted(folders) if os.path.isdir(folder))


def _needed_files() -> Iterator[str]:
    return (file for file in ("/dev/urandom", "/dev/null", "/etc/localtime") if os.path.exists(file))


def _succeeds(attempt: Callable[[], Any]) -> bool:
    try:
        attempt()
    except (OSError, ValueError):
        return False
    return True


def _open_socket() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()


def _read_foreign_file() -> None:
    with open("/proc/self/environ", "rb") as file:
        file.read(1)


def _start_process() -> None:
    if (child := os.fork()) == 0:
        os._exit(0)
    with contextlib.suppress(OSError):
        os.waitpid(child, 0)


def _signal_parent() -> None:
    os.kill(os.getppid(), 0)


def _make_file() -> None:
    folder = os.path.join(tempfile.gettempdir(), f"promptuary-probe-{os.getpid()}")
    os.mkdir(folder, mode=0o700)
    os.rmdir(folder)


_ATTEMPTS: dict[str, Callable[[], Any]] = {
    "open sockets": _open_socket,
    "read other files": _read_foreign_file,
    "start processes": _start_process,
    "signal other processes": _signal_parent,
    "make and remove files": _make_file,
}
