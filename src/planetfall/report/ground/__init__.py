"""Pictures of the ground alone: shaded relief with slopes, sections through distance fields."""
