"""Numbers among labels: kept as they are, or cut."""
