"""Verbs over results that are on disk: view, report, movie, figures, replay."""
