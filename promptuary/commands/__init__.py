"""The command line: one file a verb. Nothing in here is loaded by `import promptuary`."""
