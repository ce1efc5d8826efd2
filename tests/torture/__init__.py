"""The long runs: rounds of the tests for rare faults, with new seeds, until the time is used up."""
