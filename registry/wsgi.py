"""What the web server runs: fetches with a key are answered ahead of Django, everything else by it."""

import gc
import os
import sys
import threading

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
_django = get_wsgi_application()

from registry.core import metrics, periodic_thread
from registry.core.renderer_pool import bounded
from registry.journal import log
from registry.namespaces.key_use import write_key_uses
from registry.serving import journal_follower
from registry.serving.fetcher import fetcher
from registry.serving.wsgi_fast_path import ahead_of
from registry.usage import recorder

# Who writes looks at the journal right afterwards, so that this process serves what it wrote and no fetch has to look.
log.subscribe(fetcher().follower.look)
periodic_thread.start(recorder.flush, write_key_uses, metrics.flush)
journal_follower.start(fetcher().follower)
# Nor need the first preview wait for the renderer's helper process and its vocabulary.
threading.Thread(target=bounded().start, name="warm-renderer", daemon=True).start()
application = ahead_of(_django)
# A fetch needs microseconds of the interpreter and shall not wait for anything long. Pages, whose modules are loaded by
# this, hand over after half a millisecond. What was loaded is never searched for garbage, and what is kept for fetches,
# hundreds of thousands of objects that are in no cycle, seldom: a search through all of it takes 0.2 s.
get_resolver().url_patterns  # noqa: B018  # reading it loads them
sys.setswitchinterval(0.0005)
gc.collect()
gc.freeze()
gc.set_threshold(2_000, 10, 100)
