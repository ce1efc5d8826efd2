"""Change requests: the list, one with its checks, threads and actions, merges and emergencies."""
