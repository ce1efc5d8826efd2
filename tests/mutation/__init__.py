"""Mutation testing of the parts that decide what is served: the digest, the gate, the journal and the mirror."""
