"""Shapes of whole bodies: read or made, their mass properties, and checks of what would make their field wrong."""
