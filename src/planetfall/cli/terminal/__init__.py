"""What the verbs share with the terminal: options, `--set`, notes and progress on stderr, Ctrl-C."""
