"""`[flight]`, `[[sensors]]` and `[detector]`: flight software, what it measures, and the touchdown detector."""
