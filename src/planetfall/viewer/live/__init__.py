"""A run that pages look at while it is computed: its feed, the connection, the commands."""
