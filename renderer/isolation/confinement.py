"""Confinement of child processes by the kernel: no sockets, files, processes or signals.

This is the layer behind Jinja's sandbox and the process limits, in case they have a hole. It uses two mechanisms of
Linux, each applied if the kernel and a library support it (docs/decisions/021):

* seccomp (`pyseccomp`, over libseccomp): no sockets, no new processes or programs, no signals to others, no change of
  a file.
* Landlock (`landlock`): no access to files except reading those of the interpreter and the renderer.

The preparation happens once for all children; `probe`, run in a child, lists what it can still do.
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
except (ImportError, RuntimeError, OSError):  # not installed, no libseccomp, or not Linux
    pyseccomp = None
try:
    import landlock
    from landlock.plumbing import FSAccess
except (ImportError, AttributeError, OSError):  # not installed, or not Linux
    landlock = None

__all__ = ["Confinement", "probe"]

# Refused with EPERM, like anything a user may not do. Names unknown to this machine are skipped.
# Sending stays allowed: the answer goes over an already connected socket.
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
_WRITING = os.O_WRONLY | os.O_RDWR  # flags of open


class Confinement:
    """Prepared in the unconfined fork server; applied in each child, irrevocably."""

    def __init__(self) -> None:
        self._filter = _try_to_prepare(_make_filter)
        self._ruleset = _try_to_prepare(_make_ruleset)

    def apply(self) -> None:
        """Confine this process irrevocably, as far as the kernel supports it. Open files and sockets stay open."""
        if self._ruleset is not None:
            with contextlib.suppress(Exception):  # reported by `probe`
                ctypes.set_errno(0)  # the library mistakes an earlier errno for its own error
                self._ruleset.apply()
        if self._filter is not None:
            with contextlib.suppress(OSError):  # as above
                _load(self._filter)


def probe() -> list[str]:
    """List what this process can still do that no rendering needs; empty if it is fully confined."""
    return [words for words, attempt in _ATTEMPTS.items() if _try_attempt(attempt)]


def _try_to_prepare(make: Callable[[], Any]) -> Any:
    """The result, or None if this machine doesn't support it."""
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
        with contextlib.suppress(OSError, ValueError):  # this machine has no such system call
            syscall_filter.add_rule(refuse, name)
    with contextlib.suppress(OSError, ValueError):
        syscall_filter.add_rule(pyseccomp.KILL_PROCESS, "tgkill")  # `raise` and `abort` must still end the process
    with contextlib.suppress(OSError, ValueError):
        syscall_filter.add_rule(
            pyseccomp.ERRNO(errno.ENOSYS), "clone3"
        )  # its flags can't be inspected; callers then fall back to clone
    for name, argument in (("open", 1), ("openat", 2)):
        for flag in (os.O_WRONLY, os.O_RDWR):
            with contextlib.suppress(OSError, ValueError):
                syscall_filter.add_rule(refuse, name, pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, _WRITING, flag))
    with contextlib.suppress(OSError, ValueError):
        syscall_filter.add_rule(
            pyseccomp.ERRNO(errno.ENOSYS), "openat2"
        )  # the flags are behind a pointer; callers then fall back to openat
    with tempfile.TemporaryFile() as file:
        syscall_filter.export_bpf(file)
        file.seek(0)
        return file.read()


class _Program(ctypes.Structure):
    """`struct sock_fprog`: the number of eight-byte instructions, and their address."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def _load(program: bytes) -> None:
    """Have the kernel apply a program. The library's own `load` compiles it each time, half a millisecond per child."""
    program_at = ctypes.byref(_Program(len(program) // 8, program))
    if _C.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or _C.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program_at, 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel takes no seccomp filter")


def _make_ruleset() -> Any:
    if landlock is None:
        return None
    ctypes.set_errno(0)
    ruleset = landlock.Ruleset()
    for folder in _list_needed_folders():
        ruleset.allow(folder, rules=FSAccess.READ_FILE | FSAccess.READ_DIR)
    for file in _list_needed_files():
        ruleset.allow(file, rules=FSAccess.READ_FILE)
    return ruleset


def _list_needed_folders() -> Iterator[str]:
    """The folders from which the interpreter, its packages and the renderer may still load code and tables."""
    paths = sysconfig.get_paths()
    folders = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    # A venv with access to another's packages, or to the system's, imports from there.
    folders |= {folder for folder in sys.path if Path(folder).name in ("site-packages", "dist-packages")}
    folders |= {str(Path(__file__).resolve().parent.parent), "/usr/share/zoneinfo"}
    return (folder for folder in sorted(folders) if os.path.isdir(folder))


def _list_needed_files() -> Iterator[str]:
    return (file for file in ("/dev/urandom", "/dev/null", "/etc/localtime") if os.path.exists(file))


def _try_attempt(attempt: Callable[[], Any]) -> bool:
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
