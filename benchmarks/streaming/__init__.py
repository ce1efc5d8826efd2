"""What `benchmarks/playground.py` is made of: a model server and readers that take little of the processor."""
