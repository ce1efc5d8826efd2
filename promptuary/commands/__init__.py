"""The command line, one file per command. `import promptuary` loads none of it."""
