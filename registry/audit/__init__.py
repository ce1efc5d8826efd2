"""The audit trail: reading, exporting and verifying the journal."""
