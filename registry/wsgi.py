"""What the web server runs: fetches with a key are answered ahead of Django, everything else by it."""

import os
import threading

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
_django = get_wsgi_application()

from registry import journal, metrics, rounds, usage  # noqa: E402  # models can be imported only now
from registry.ahead import ahead_of  # noqa: E402  # as above
from registry.fetch import fetcher  # noqa: E402  # as above
from registry.rendering import bounded  # noqa: E402  # as above

# This process need not wait for its next look at the journal to see what it wrote itself.
journal.subscribe(fetcher().hurry)
rounds.start(usage.flush, metrics.flush)
# Nor need the first preview wait for the renderer's helper process and its vocabulary.
threading.Thread(target=bounded().start, name="warm-renderer", daemon=True).start()
application = ahead_of(_django)
