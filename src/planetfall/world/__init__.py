"""What surrounds the vehicle: gravity fields and terrains, each a parameter struct and its `@wp.func`."""
