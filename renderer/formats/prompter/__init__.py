"""Format prompter: one instruction for every model, as LazyLLM's prompters have it."""
