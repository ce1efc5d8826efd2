"""The read API of Langfuse: services can use its client with this server's URL and keys."""
