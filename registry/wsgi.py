"""What the web server runs: fetches with a key are answered ahead of Django, everything else by it."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
_django = get_wsgi_application()

from registry import journal  # noqa: E402  # models can be imported only now
from registry.fetch import ahead_of, fetcher  # noqa: E402  # as above

# This process need not wait for its next look at the journal to see what it wrote itself.
journal.subscribe(fetcher().hurry)
application = ahead_of(_django)
