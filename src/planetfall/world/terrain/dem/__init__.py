"""Ground from an elevation map: two facets a cell, queried by column, ray and nearest point."""
