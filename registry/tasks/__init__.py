"""Background work: wake-ups, jobs as rows, and what the worker does with them."""
