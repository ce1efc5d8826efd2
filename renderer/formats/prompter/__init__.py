"""Format prompter: one instruction for every model, compatible with LazyLLM's prompters."""
