"""The read API of Langfuse: services with its client fetch from here after changing an address and two keys."""
