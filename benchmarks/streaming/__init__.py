"""The parts of `benchmarks/playground.py`: a model server and readers that use little processor time."""
