"""Journeys through the product, traced: which of our files does each open?

`python -m tests.journeys.traced_journeys` prints for each journey the files, their functions and the number of calls.

- save: the editor's POST of a new version, until its event is stored
- save and answer: the same to the answer, with the reactions to the event and what follows the commit
- publish: the Publish button of an approved change request, until the event of the moved label is stored
- publish and answer: the same to the answer, with the reactions to the event and what follows the commit
- change page: the first look at a change request with checks, an approval and threads
- warm fetch: a service fetches a label the second time
- load and render: from a document of the format `parts` to the messages of a request
"""

import json
import sys
import tempfile
from pathlib import Path

from tests.support import instances
from tests.support.trace import Calls, describe_calls

__all__ = ["trace_journeys"]


def trace_journeys(folder: Path) -> dict[str, Calls]:
    """Trace all journeys on a new instance in the folder, in a separate process; returns the calls by journey."""
    place = instances.make_instance(folder / "instance", engine="sqlite")
    output = place.run("-m", "tests.journeys.traced_driver").stdout
    traces: dict[str, Calls] = json.loads(output.splitlines()[-1])
    return traces


def main() -> None:
    """Print the traces for people who look for files to merge."""
    with tempfile.TemporaryDirectory(prefix="promptuary-trace-") as folder:
        traces = trace_journeys(Path(folder))
    for journey, calls in traces.items():
        sys.stdout.write(f"== {journey}: {len(calls)} files\n{describe_calls(calls)}\n\n")


if __name__ == "__main__":
    main()
