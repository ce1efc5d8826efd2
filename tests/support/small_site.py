"""A test's own server with people and one template instead of the demo, so that it starts in seconds."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.browser.conftest import Server as Site
from tests.support import instances
from tests.support.server_process import Server

__all__ = ["NAME", "open_small_site"]

NAME = "support/reply"  # its version 1 is in production, version 2 is not


@contextmanager
def open_small_site(folder: Path, **environment: str) -> Iterator[Site]:
    """Run a web server and its worker in this folder until the block ends. environment: additional variables."""
    place = instances.make_instance(folder / "home", engine="sqlite")
    place.run("-m", "tests.support.small_site_driver")
    server = Server(place, **environment)
    try:
        server.start()
        with closing(Site(server.url, place.home)) as site:
            yield site
    finally:
        server.kill()
        instances.remove_instance(place)
