"""Change requests: the list, the page with checks, threads and actions, merges and emergencies."""
