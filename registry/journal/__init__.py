"""The journal: every lasting decision as an event, in order, hash-chained."""
