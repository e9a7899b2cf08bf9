"""A drive that is changed while one looks at it: session, controls, choices."""
