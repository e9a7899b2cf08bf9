"""Monte Carlo campaigns: what is drawn, how it is run in shards, where it is kept, when it is enough."""
