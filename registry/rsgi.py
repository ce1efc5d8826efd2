"""The RSGI application that granian serves: `registry.wsgi`, with the live side in front of it."""

from django.conf import settings

from registry import wsgi  # our first import, because it sets up Django
from registry.live.server import LiveServer
from registry.serving.wsgi_fast_path import find_cached_answers

# Four for pages and the API, plus those in which clients wait for label moves.
THREADS = 4 + settings.PROMPTUARY_WAITING
application = LiveServer(find_cached_answers(wsgi.allowed_hosts), wsgi.application, threads=THREADS)
