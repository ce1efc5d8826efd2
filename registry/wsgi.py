"""The WSGI application: fetches with a key are answered ahead of Django, all other requests by Django."""

import gc
import os
import threading

# Loading the application makes objects that stay. With Python's 700, looking for garbage takes a sixth of that time.
gc.set_threshold(50_000, 20, 20)  # until `tune_process` sets what the process keeps

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
_django = get_wsgi_application()

from registry.core import metrics, periodic_thread
from registry.core.renderer_pool import find_renderer
from registry.journal import log
from registry.namespaces.key_use import write_key_uses
from registry.serving.credentials import start_key_reader
from registry.serving.fetcher import get_fetcher
from registry.serving.journal_follower import start_poller
from registry.serving.process_tuning import tune_process
from registry.serving.wsgi_fast_path import serve_fetches_first
from registry.usage import recorder

# A writer polls the journal right afterwards, so that its process serves the change and no fetch has to poll.
log.subscribe(get_fetcher().follower.poll)
periodic_thread.start(recorder.flush_counts, write_key_uses, metrics.flush_counts)
start_poller(get_fetcher().follower)
start_key_reader(get_fetcher().callers)
# Start the renderer's helper process, so that the first preview doesn't wait for it.
threading.Thread(target=find_renderer().start, name="warm-renderer", daemon=True).start()
allowed_hosts: set[str] = set()  # hosts of requests so far
application = serve_fetches_first(_django, allowed_hosts)
tune_process()
