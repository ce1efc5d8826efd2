"""What `benchmarks/fetch.py` is made of: servers, seeds, load."""
