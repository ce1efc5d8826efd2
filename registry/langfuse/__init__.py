"""The read API of Langfuse, so that services with its client fetch from here by changing an address and two keys."""
