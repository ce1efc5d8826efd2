"""The parts of `benchmarks/fetch.py`: servers, seeds and load."""
