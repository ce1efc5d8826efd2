"""The rows and the addresses of the benchmark of pages."""
