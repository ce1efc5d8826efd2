"""Which parts leave a prompt that is over its limit."""
