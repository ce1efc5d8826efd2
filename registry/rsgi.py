"""The RSGI application that granian serves: `registry.wsgi`, with the live side in front of it."""

from django.conf import settings

from registry import wsgi  # the first of ours: it sets Django up
from registry.core.parent_death import end_with_parent
from registry.live.server import LiveServer
from registry.serving.wsgi_fast_path import find_cached_answers

end_with_parent()  # a web server that is killed leaves none that keeps the port
# Four for pages and the API, and those in which clients wait for a label to move.
THREADS = 4 + settings.PROMPTUARY_WAITING
application = LiveServer(find_cached_answers(wsgi.allowed_hosts), wsgi.application, threads=THREADS)
