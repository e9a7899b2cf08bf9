"""How shards become rows: one after another here, several at once, or on a cluster, by the same function.

What may enter runs on a worker, which has a plan and a shard's number and nothing else. It writes no files.
"""
