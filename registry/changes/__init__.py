"""Change requests: the gate of protected labels, its checks, approvals, discussion and merges."""
