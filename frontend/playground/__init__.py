"""The playground: JSON for the editor's mode Run. Replies are streamed by `registry.live`."""
