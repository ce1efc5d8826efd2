"""Interpreter settings of a web process that answers fetches between pages.

Justified by `python benchmarks/fetch.py`: the warm fetch, and the fetch during saves. To remove them, drop the call in
`registry.wsgi`; responses stay the same, but a fetch during a page or a garbage collection takes longer.
"""

import gc
import resource
import sys

from django.urls import get_resolver

from promptuary.renderer.free_memory import release_memory

__all__ = ["tune_process"]

SWITCH_INTERVAL = 0.0005  # seconds; a fetch takes microseconds and should not wait 5 ms for a page
# Young objects are collected rarely and old ones hardly ever: the cache for fetches has hundreds of thousands of old
# objects without cycles, and a full collection takes 0.2 s.
GC_THRESHOLDS = (2_000, 10, 100)
OPEN_FILES = 8192


def tune_process() -> None:
    """Load all pages, exclude what is loaded from garbage collection, and shorten the threads' switch interval.

    Call it once, when everything is imported: objects loaded afterwards are collected as usual.
    """
    _allow_many_connections()
    get_resolver().url_patterns  # noqa: B018  # reading it loads the modules of all pages
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.collect()
    release_memory()  # garbage of importing: up to 10 MB
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def _allow_many_connections() -> None:
    """Raise the limit of open files: open pages hold a connection each, and many systems allow only 1024 by default."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
