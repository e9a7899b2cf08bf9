"""Pictures of air over height."""
