"""The RSGI application that granian serves: `registry.wsgi`, with the live side in front of it."""

from registry import wsgi  # our first import, because it sets up Django
from registry.live.label_move_waits import LabelMoveWaits
from registry.live.server import LiveServer
from registry.serving.label_moves_long_poll import label_moves_poll
from registry.serving.wsgi_fast_path import find_cached_answers

THREADS = 4  # for pages and the API
application = LiveServer(
    find_cached_answers(wsgi.allowed_hosts), wsgi.application, threads=THREADS, moves=LabelMoveWaits(label_moves_poll())
)
