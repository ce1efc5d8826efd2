"""The audit trail: the journal as people read, export and verify it."""
