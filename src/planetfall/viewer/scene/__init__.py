"""From a run, a drive or a campaign to what the page draws: bodies, frames, curves."""
