"""`manage.py collectstatic`, which the container image runs, makes copies that browsers keep for good."""

import json

from tests.support.instances import Instance

# The program's own folder stays without copies, or every later start would serve them.
COLLECT = """
import sys
from django.conf import settings
from django.core.management import execute_from_command_line
settings.STATIC_ROOT = sys.argv[2]
execute_from_command_line(["manage.py", sys.argv[1], "--noinput", "--verbosity=0"])
"""


def test_collected_files_have_a_digest_in_their_names_and_are_compressed(tmp_path):
    (tmp_path / "home").mkdir()
    Instance(tmp_path / "home").run("-c", COLLECT, "collectstatic", str(tmp_path / "collected"))
    names = json.loads((tmp_path / "collected/staticfiles.json").read_text(encoding="utf-8"))["paths"]
    mark = names["frontend/mark.svg"]
    assert mark != "frontend/mark.svg"
    assert (tmp_path / "collected" / f"{mark}.gz").exists()
