"""The long runs: rounds of the tests that look for rare faults, with new seeds, until the minutes are used up."""
