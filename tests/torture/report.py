"""The report of a torture run, as Markdown."""

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime

from tests.torture.rounds import Round
from tests.torture.targets import Target

__all__ = ["format_report"]


def format_report(targets: Sequence[Target], rounds: Sequence[Round]) -> str:
    """What was done of each target, how long it took and what failed."""
    seconds = sum(done.seconds for done in rounds)
    commits = ", ".join(f"`{commit[:10]}`" for commit in dict.fromkeys(done.commit for done in rounds))
    rows = [_format_row(target, [done for done in rounds if done.target == target.name]) for target in targets]
    failed = [f"- {done.target}, seed {done.seed}, commit `{done.commit[:10]}`" for done in rounds if not done.passed]
    return "\n".join(
        [
            f"{len(rounds)} rounds, {seconds / 60:.0f} minutes of rounds, "
            f"ended on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC.",
            f"Commits: {commits or 'none'}. Machine: {os.cpu_count()} cores, {platform.machine()}, "
            f"Python {platform.python_version()}.",
            "",
            "| target | engine | rounds | done | of a whole run | minutes | failed |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
            *(["Failed rounds:", "", *failed] if failed else ["No round failed."]),
            "",
        ]
    )


def _format_row(target: Target, rounds: Sequence[Round]) -> str:
    done = sum(round_.amount for round_ in rounds)
    cells = [
        target.name,
        "PostgreSQL" if target.on_postgres else "SQLite",
        str(len(rounds)),
        f"{done:,} {target.unit}",
        f"{done / target.goal:.0%} of {target.goal:,}",
        f"{sum(round_.seconds for round_ in rounds) / 60:.1f}",
        str(sum(not round_.passed for round_ in rounds)),
    ]
    return f"| {' | '.join(cells)} |"
