"""A flight as a sequence of phases: tables to rows (`mount_*`), and the compiled controller that flies them.

`steering.py` is one call of that controller: navigation, phases, guidance, attitude, engines. What may enter belongs to
the sequence as a whole; one guidance law is in `guidance`, an entry's in `entry`.
"""
