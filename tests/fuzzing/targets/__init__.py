"""The fuzzed targets, one module each. `try_input` takes any bytes; it fails on undeclared errors or broken invariants.

Nothing is imported here, so that the driver can instrument the code under test when it imports the target.
"""

__all__ = ["INSTRUMENTED"]

_RENDERER = "promptuary.renderer"

INSTRUMENTED = {
    "document": [f"{_RENDERER}.document", f"{_RENDERER}.syntax.yaml_reader", f"{_RENDERER}.inputs"],
    "jinja": [f"{_RENDERER}.jinja", f"{_RENDERER}.validation", f"{_RENDERER}.formats.parts"],
    "shaped": [f"{_RENDERER}.formats.shaped"],
    "diff": ["frontend.diff.text", f"{_RENDERER}.syntax.alignment", f"{_RENDERER}.syntax.sequence_diff"],
    "json": ["registry.core.input_checks"],
}
"""For each target, the modules whose coverage guides the fuzzer."""
