"""What people show each other: figures."""
