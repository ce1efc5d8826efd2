"""Jobs: work for the worker, kept as rows."""
