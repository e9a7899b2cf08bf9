"""Gravity fields: one model per file, each giving acceleration and potential."""
