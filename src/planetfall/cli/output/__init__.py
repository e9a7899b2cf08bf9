"""How verbs write: one file or one folder, whole or not at all, data before figures."""
