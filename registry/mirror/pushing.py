"""Pushing the mirror to other repositories: never by force, with our own git settings only, to the checked address.

Failures are stored in the remote's row and retried later; writing the mirror never waits for a push.
"""

import shlex
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from registry.core import safe_http
from registry.core.failpoints import reach
from registry.core.safe_http import Destination, Refused
from registry.journal import log
from registry.mirror import fill, rebuilding
from registry.mirror.errors import MirrorError
from registry.mirror.models import Remote
from registry.mirror.repository import Repository

# no texts here: operators read them at the command line and in /readyz, in English
__all__ = ["PushFailed", "check_destination", "list_due_remotes", "push", "push_due"]

_SECONDS = 600.0  # per push, however much there is to send
_LEASE = timedelta(seconds=_SECONDS + 60)  # after which the process that claimed a push counts as dead
_FIRST_WAIT, _MAX_WAIT = 5.0, 3600.0  # seconds after the first failure, doubled with each further one
_MAX_DOUBLINGS = 10  # by then the longest wait is reached
_OUT_OF_STEP = ("(fetch first)", "(non-fast-forward)", "(needs force)", "(stale info)")
# The helper's text is the same for every remote; name and secret come from the environment of this one process.
_HELPER = '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$PROMPTUARY_USER" "$PROMPTUARY_TOKEN"; }; f'
_HTTP = (
    "credential.helper=",  # resets the machine's own
    f"credential.helper={_HELPER}",
    "http.followRedirects=false",
    "http.proxy=",
    "http.lowSpeedLimit=100",  # bytes a second
    "http.lowSpeedTime=60",  # seconds
)
_NO_PROXY = dict.fromkeys(("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"), "") | {
    "no_proxy": "*",
    "NO_PROXY": "*",
}


class PushFailed(MirrorError):
    """The remote refused the push; `diverged` if it has what the mirror lacks."""

    def __init__(self, message: str, *, diverged: bool = False) -> None:
        super().__init__(message)
        self.diverged = diverged


def check_destination(url: str) -> Destination:
    """The checked address behind a remote's URL. Raises Refused if the mirror may not be pushed there."""
    destination = safe_http.check_url(url, schemes=("https", "ssh"))
    if not safe_http.is_listed(destination.host, destination.port, settings.MIRROR_HOSTS):
        raise Refused(
            f"{destination.host} isn't a host that the mirror may be pushed to: list it in PROMPTUARY_MIRROR_HOSTS."
        )
    return destination


def list_due_remotes() -> list[Remote]:
    """Remotes to push to now: behind the mirror, neither waiting after a failure nor being pushed to."""
    now = timezone.now()
    rows = list(Remote.objects.filter(Q(retry_at=None) | Q(retry_at__lte=now)).order_by("pk"))
    if not rows:
        return []
    mirrored = _read_mirrored_number()
    return [row for row in rows if row.pushed != mirrored]


def push_due() -> int:
    """Push to each remote that is due and store the result in its row. Return how many succeeded."""
    return sum(push(remote) for remote in list_due_remotes())


def push(remote: Remote) -> bool:
    """Push once, regardless of the last result. Return False if it failed (the row says why) or another process is
    pushing.
    """
    now = timezone.now()
    is_claimed = Remote.objects.filter(pk=remote.pk, retry_at=remote.retry_at).update(retry_at=now + _LEASE)
    if not is_claimed:
        return False
    same = Remote.objects.filter(pk=remote.pk)
    try:
        number = _push(remote)
    except (MirrorError, Refused) as error:
        diverged = isinstance(error, PushFailed) and error.diverged
        wait = _MAX_WAIT if diverged else _choose_wait(remote.failures)
        retry_at: datetime = timezone.now() + timedelta(seconds=wait)
        sentence = str(error)
        same.update(error=sentence[:2000], diverged=diverged, failures=F("failures") + 1, retry_at=retry_at)
        return False
    same.update(pushed=number, pushed_at=timezone.now(), error="", diverged=False, failures=0, retry_at=None)
    return True


def _choose_wait(failures: int) -> float:
    """The seconds to wait after another failure. The exponent is bounded: 2**1024 is too large for a float."""
    return min(_FIRST_WAIT * 2.0 ** min(failures, _MAX_DOUBLINGS), _MAX_WAIT)


def _push(remote: Remote) -> int:
    """Send the mirror. Return the number of its last event."""
    repository = Repository(settings.MIRROR_PATH)
    heads = fill.read_heads(repository)
    number = fill.find_resume_point(heads)  # raises Diverged, so that a forged mirror is not pushed
    if rebuilding.is_redaction_due(heads):
        raise PushFailed("The mirror is being rewritten after a redaction.")
    if not heads:
        return 0
    destination = check_destination(remote.url)
    options, environment = _build_connection(remote, destination)
    reach("mirror.pushing")
    status, output = repository.push(options, remote.url, environment, _SECONDS)
    if status:
        raise _describe_failure(output)
    return number


def _build_connection(remote: Remote, destination: Destination) -> tuple[list[str], dict[str, str]]:
    """Settings and environment of one push."""
    environment = {"GIT_ALLOW_PROTOCOL": destination.scheme, **_NO_PROXY}
    if destination.scheme == "ssh":
        return [], environment | {"GIT_SSH_COMMAND": _build_ssh_command(remote, destination), "GIT_SSH_VARIANT": "ssh"}
    options = [*_HTTP]
    if destination.host != destination.address:
        address = f"[{destination.address}]" if ":" in destination.address else destination.address
        options.append(f"http.curloptResolve={destination.host}:{destination.port}:{address}")
    token = _read_token(remote.token_file) if remote.token_file else ""
    environment |= {"PROMPTUARY_USER": remote.user, "PROMPTUARY_TOKEN": token}
    return [part for option in options for part in ("-c", option)], environment


def _build_ssh_command(remote: Remote, destination: Destination) -> str:
    """The command line of ssh: to the checked address, under the original host name, with this key only."""
    options = {
        "BatchMode": "yes",
        "ClearAllForwardings": "yes",
        "ConnectTimeout": "15",
        "GlobalKnownHostsFile": "/dev/null",
        "HostKeyAlias": destination.host,
        "HostName": destination.address,
        "IdentitiesOnly": "yes",
        "IdentityFile": remote.key_file,
        "ProxyCommand": "none",
        "ServerAliveInterval": "15",
        "StrictHostKeyChecking": "yes",
        "UserKnownHostsFile": remote.known_hosts,
    }
    return shlex.join(
        ["ssh", "-F", "/dev/null", *(part for name in options for part in ("-o", f"{name}={options[name]}"))]
    )


def _read_token(path: str) -> str:
    """The token in the file, without white space around it. Raises PushFailed if it can't be read."""
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it isn't text"
        raise PushFailed(f"{path} can't be read: {reason}.") from error


def _describe_failure(output: str) -> PushFailed:
    refused_lines = [line for line in output.splitlines() if line.startswith("!")]
    diverged = [line.split("\t")[1].partition(":")[0] for line in refused_lines if line.endswith(_OUT_OF_STEP)]
    if diverged:
        names = ", ".join(ref.removeprefix("refs/heads/") for ref in diverged[:5])
        return PushFailed(
            f"The remote holds commits in {names} that the mirror doesn't: somebody pushed there, or a redaction wrote "
            "the mirror again. Nothing is forced; have its owner empty it or put it back.",
            diverged=True,
        )
    words = " ".join(" ".join(refused_lines or output.splitlines()).split())
    return PushFailed(f"The remote did not take it: {words[-500:] or 'git gave no reason'}")


def _read_mirrored_number() -> int:
    mark = log.read_mark()
    return mark.number if mark else 0
