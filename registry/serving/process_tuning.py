"""Interpreter settings of a web process that answers fetches between pages.

Paid for by `python benchmarks/fetch.py`: the warm fetch, and the fetch while people save. To remove them, drop the call
in `registry.wsgi`; answers stay the same, and a fetch that meets a page or a garbage collection waits longer.
"""

import gc
import resource
import sys

from django.urls import get_resolver

from promptuary.renderer.free_memory import release_memory

__all__ = ["tune_process"]

SWITCH_INTERVAL = 0.0005  # seconds; a fetch needs microseconds of the interpreter and shall not wait 5 ms for a page
# Young objects are collected rarely and old ones hardly ever: what is cached for fetches, hundreds of thousands of
# objects that are in no cycle, is old, and a search through all of it takes 0.2 s.
GC_THRESHOLDS = (2_000, 10, 100)
OPEN_FILES = 8192


def tune_process() -> None:
    """Load all pages, keep what is loaded out of garbage collection, and have threads take turns more often.

    Call it once, when everything is imported: what is loaded afterwards is searched for garbage like anything else.
    """
    _allow_many_connections()
    get_resolver().url_patterns  # noqa: B018  # reading it loads the modules of all pages
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.collect()
    release_memory()  # of importing: as much as 10 MB
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def _allow_many_connections() -> None:
    """Open pages hold a connection each, and many systems allow 1024 files unless more is asked for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
