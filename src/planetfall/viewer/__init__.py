"""Results that can be looked at: one page, what it draws, and the ways to bring it to people."""
