"""The product's settings over a home of its own, thrown away with the process."""

import atexit
import os
import shutil
import tempfile

_home = tempfile.mkdtemp(prefix="promptuary-test-")
atexit.register(shutil.rmtree, _home, ignore_errors=True)
os.environ["PROMPTUARY_HOME"] = _home
# pytest-xdist's workers are begun with what its first process set; each counts for itself.
os.environ["PROMETHEUS_MULTIPROC_DIR"] = os.path.join(_home, "metrics")
os.environ.setdefault("PROMPTUARY_NAMESPACE_CREATORS", "everyone")  # the people of most tests make their own
os.mkdir(os.environ["PROMETHEUS_MULTIPROC_DIR"], 0o700)

from registry.settings import *  # noqa: E402, F403  # the home must stand before the settings are read

# argon2 is slow on purpose; no test is about its strength.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# The shared cache is a table; most tests have no database, and none of them is about another process.
CACHES = {
    name: {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": name}
    for name in ("default", "frames")
}

# Each test client builds the middleware again, which without this setting scans all static files.
WHITENOISE_AUTOREFRESH = True

# SQLite returns unordered rows in reverse. Code that relies on an order fails here, and not by chance
# on PostgreSQL.
if "init_command" in DATABASES["default"].get("OPTIONS", {}):  # noqa: F405
    DATABASES["default"]["OPTIONS"]["init_command"] += " PRAGMA reverse_unordered_selects=ON;"  # noqa: F405
