"""Verbs that compute landings and hops: run, montecarlo, show, steepen, hop, bench."""
