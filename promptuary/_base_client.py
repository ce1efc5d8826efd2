"""The base class of both clients: options, lifecycle, forks and shutdown."""

import atexit
import importlib
import logging
import math
import os
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from promptuary._background import LabelRefresher, MoveListener
from promptuary._bulk_fetch import fetch_namespace
from promptuary._config import ClientConfig
from promptuary._daemon_thread import DaemonThread
from promptuary._dataset_rows import add_rows, compute_rows_timeout
from promptuary._fetching import ClientState, Fetched
from promptuary._row_sender import AddedRows, Row, RowSender
from promptuary._transport import AsyncTransport, Flow, Transport, run_flow
from promptuary._usage import Usage
from promptuary.cache import DiskCache, MemoryCache
from promptuary.errors import ConfigurationError, PromptuaryError
from promptuary.lockfile import DEFAULT, Pins, read_lock
from promptuary.names import check_name, check_namespace, check_ref
from promptuary.renderer.after_fork import run_after_fork
from promptuary.renderer.errors import RenderError
from promptuary.renderer.lazy_import import Deferred
from promptuary.renderer.names import is_pin
from promptuary.renderer.tokens.vocabulary_catalogue import VocabularySource
from promptuary.template import Template
from promptuary.vendored import Vendored
from promptuary.vocabularies import RegistryVocabularies

if TYPE_CHECKING:
    from promptuary.renderer.tokens import tokenizers
    from promptuary.renderer.tokens import vocabularies as known_vocabularies
else:
    known_vocabularies = Deferred("promptuary.renderer.tokens.vocabularies")
    tokenizers = Deferred("promptuary.renderer.tokens.tokenizers")

__all__ = ["BaseClient", "Ref"]

ENTRIES = 2000  # templates cached in memory
TTL = 60.0  # seconds a label is served before the registry is asked again
TIMEOUT = 2.0  # seconds a failing call takes at most, in total
_log = logging.getLogger("promptuary")
Folder = str | os.PathLike[str]
OnStale = Callable[[Fetched], object]
Ref = str | int | None
AnyTransport = TypeVar("AnyTransport", Transport, AsyncTransport)


class BaseClient(ABC, Generic[AnyTransport]):
    """What the sync and the async client share.

    `url` and `key` default to the environment's PROMPTUARY_URL and PROMPTUARY_KEY. `ttl` is how many seconds a label is
    served before it is fetched again (pins never expire). `timeout` bounds a failing call as a whole, in seconds.
    `background` refreshes labels in a thread, `live` follows label moves immediately, `reports` sends usage counts to
    the registry (never any data). `lock` is a lock file whose pins apply to the names in it; `frozen` refuses labels
    that it doesn't pin. `vendored` is a file of templates to use when the registry can't be reached; with
    `vendored_first` it is served before the registry is asked. `cache_dir` keeps copies for a cold start without a
    network. `on_stale` is called with each `Fetched` that the registry could not confirm. `allow_http` permits sending
    the key over plain http to another machine, which is refused otherwise (default: PROMPTUARY_ALLOW_HTTP). `transport`
    and `clock` (seconds) are for tests.
    """

    _transport_kind: ClassVar[tuple[str, str]]  # module and class
    _flights_kind: ClassVar[type[Any]]  # SingleFlight or AsyncSingleFlight

    def __init__(  # noqa: PLR0913  # an argument an option, all by name
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        ttl: float = TTL,
        timeout: float = TIMEOUT,
        live: bool = False,
        background: bool = True,
        reports: bool = True,
        lock: Folder | None = None,
        frozen: bool = False,
        vendored: Folder | None = None,
        vendored_first: bool = False,
        cache_dir: Folder | None = None,
        on_stale: OnStale | None = None,
        allow_http: bool | None = None,
        transport: AnyTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._address = ClientConfig.read(url, key, allow_http=allow_http)
        _check_times(ttl, timeout)
        if live and not (background and ttl > 0):
            raise ConfigurationError("live needs the background and a ttl of more than 0")
        self._pins = Pins(read_lock(lock) if lock is not None else None, frozen=frozen)
        self._is_pinned = bool(self._pins)
        self._memory = MemoryCache(ENTRIES)
        self._clock = clock
        self._live = live
        self._transport: AnyTransport = transport or self._make_transport()
        self._flights: Any = self._flights_kind()
        self._listeners: dict[str, MoveListener] = {}
        vendored_store = Vendored(vendored) if vendored is not None else None
        blocking = self._blocking()
        self._state = ClientState(
            memory=self._memory,
            disk=DiskCache(cache_dir, self._address.url) if cache_dir is not None else None,
            vendored=vendored_store,
            vendored_first=vendored_first,
            ttl=ttl,
            timeout=timeout,
            clock=clock,
            on_stale=on_stale,
            usage=Usage(self._ensure_running if background else None) if reports else None,
            wake=self._wake if background else None,
            vocabularies=RegistryVocabularies(blocking, self._address.url, timeout, clock, vendored_store),
            rows=_make_row_sender(blocking, compute_rows_timeout(timeout)),
        )
        self._keeper = LabelRefresher(self._state, blocking, DaemonThread("promptuary"))
        _clients.add(self)

    @property
    def url(self) -> str:
        """The registry's address."""
        return self._address.url

    @property
    def timeout(self) -> float:
        """Maximum seconds of a failing call."""
        return self._state.timeout

    @property
    def usage(self) -> Usage | None:
        """Counts not reported yet; None when reports are off."""
        return self._state.usage

    @property
    def vocabularies(self) -> VocabularySource | None:
        """The source of vocabularies that no installed package contains."""
        return self._state.vocabularies

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    @abstractmethod
    def _blocking(self) -> Transport:
        """The blocking transport for the background thread."""

    def _make_transport(self) -> Any:
        # Imported here rather than with the package: see promptuary._http_transport.
        module, name = self._transport_kind
        transport = getattr(importlib.import_module(f"promptuary.{module}"), name)
        return transport(self._address.url, self._address.build_headers("promptuary-python"))

    def _find_in_memory(self, name: str, ref: Ref) -> Template | None:
        """The fast path: a fresh template from memory, or None."""
        if ref.__class__ is int:
            ref = str(ref)
        if self._is_pinned:
            ref = self._pins.resolve(name, ref)  # type: ignore[arg-type]  # no number any more
        entry = self._memory.get((name, ref or DEFAULT))  # type: ignore[arg-type]
        if entry is None or entry.error is not None:
            return None
        now = self._clock()
        if now >= entry.fresh_until:
            return None
        entry.used = now
        return entry.bundle.template

    def _find_candidate(self, fetched: Fetched, bucket: str | None) -> tuple[str, str] | None:
        """The candidate that callers in this bucket get instead of the label's version, or None."""
        rollout = fetched.rollout
        if bucket is None or rollout is None or not rollout.gets_candidate(bucket):
            return None
        return fetched.name, rollout.digest

    def _fall_back_to_stable(self, fetched: Fetched, error: PromptuaryError) -> Fetched:
        """Fall back to the label's version when the candidate can't be fetched."""
        _log.warning("%s@%s is served without its rollout: %s", fetched.name, fetched.ref, error)
        return fetched

    def _resolve_target(self, name: str, ref: Ref) -> tuple[str, str]:
        if "@" in str(name):
            if ref is not None:
                raise ConfigurationError(f"{name!r} holds a ref already, so {ref!r} is one too many")
            name, _, ref = name.partition("@")
        return check_name(name), check_ref(self._pins.resolve(name, None if ref is None else check_ref(ref)))

    def _resolve_targets(self, names: Iterable[str] | None) -> list[tuple[str, str]]:
        if names is None:
            if not self._pins.locked:
                raise ConfigurationError("name the templates to warm, or give the client a lock file")
            return [self._resolve_target(name, None) for name in self._pins.locked]
        return [self._resolve_target(target, None) for target in names]

    def _fetch_namespace(self, namespace: str, label: str) -> Flow[list[Fetched]]:
        if self._pins.frozen:
            raise ConfigurationError("a frozen client has what its lock file pins, and no whole namespace")
        return fetch_namespace(self._state, check_namespace(namespace), check_ref(label))

    def _follow_all(self, results: list[Fetched]) -> list[Fetched]:
        return [self._follow(fetched) for fetched in results]

    def _fetch_vocabularies(self, results: list[Fetched]) -> list[Fetched]:
        """Fetch the vocabularies missing on this machine, so that rendering doesn't have to; log failures."""
        for fetched in results:
            try:
                name = fetched.template.tokenizer().name
                if not (tokenizers.is_loaded(name) or known_vocabularies.is_at_hand(name)):
                    tokenizers.find_tokenizer(name, self._state.vocabularies)
            except RenderError as error:
                _log.warning("%s@%s: %s", fetched.name, fetched.ref, error)
        return results

    def _follow(self, fetched: Fetched) -> Fetched:
        """Keep what was just fetched up to date from now on."""
        if self._state.wake is None or is_pin(fetched.ref):
            return fetched
        namespace = fetched.name.partition("/")[0]
        if self._live and namespace not in self._listeners:
            listener = MoveListener(self._state, self._keeper.transport, self._keeper, namespace)
            self._listeners.setdefault(namespace, listener)
        self._ensure_running()
        return fetched

    def _wake(self) -> None:
        self._keeper.daemon.wake()
        self._ensure_running()

    def _ensure_running(self) -> None:
        self._keeper.daemon.ensure()
        for listener in list(self._listeners.values()):
            listener.daemon.ensure()

    def _finish(self, seconds: float | None = None) -> None:
        """Send the counts and stop, within `seconds`, by default those of one failing call."""
        for listener in self._listeners.values():
            listener.daemon.stop(0)
        # `seconds` is passed when the process exits, which shouldn't wait for a vocabulary to be read.
        self._keeper.finish(self.timeout if seconds is None else seconds, may_load=seconds is None)

    def _renew(self) -> None:
        """Reset in a child after a fork: no threads, no fetches in progress, none of the parent's counts."""
        self._flights.renew()
        self._keeper.renew()
        for listener in self._listeners.values():
            listener.renew()
        if self._state.usage is not None:
            self._state.usage.renew()
        self._memory.expire()


def _make_row_sender(transport: Transport, timeout: float) -> RowSender:
    """Make the callable through which templates add rows."""

    def send(dataset: str, rows: Sequence[Row], *, template: str | None = None) -> AddedRows:
        return run_flow(add_rows(timeout, dataset, rows, template=template), transport)

    return send


def _check_times(ttl: float, timeout: float) -> None:
    """Raise ConfigurationError if one can't be used."""
    if not _is_number(ttl) or ttl < 0:
        raise ConfigurationError(f"ttl is a number of seconds, 0 or more, not {ttl!r}")
    if not _is_number(timeout) or timeout <= 0:
        raise ConfigurationError(f"timeout is a number of seconds, more than 0, not {timeout!r}")


def _is_number(value: object) -> bool:
    """Whether it is a number of seconds: not a bool and not NaN."""
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


_clients: "weakref.WeakSet[BaseClient[Any]]" = weakref.WeakSet()


def _finish_all() -> None:
    clients = list(_clients)
    ends = time.monotonic() + max((client.timeout for client in clients), default=0.0)
    for client in clients:
        client._finish(max(ends - time.monotonic(), 0.0))


def _renew_all() -> None:
    for client in list(_clients):
        client._renew()


atexit.register(_finish_all)
run_after_fork(_renew_all)
