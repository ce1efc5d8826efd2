"""A seed derived from the commit: the same commit is tested with the same generated calls everywhere."""

import os
import subprocess
from pathlib import Path

__all__ = ["read_commit_seed"]

ROOT = Path(__file__).parents[2]


def read_commit_seed() -> int:
    """The first digits of HEAD's id as a number, or 0 outside a clone; under `make torture`, the round's seed."""
    if "PROMPTUARY_SEED" in os.environ:
        return int(os.environ["PROMPTUARY_SEED"])
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return int(done.stdout[:12], 16) if done.returncode == 0 else 0
