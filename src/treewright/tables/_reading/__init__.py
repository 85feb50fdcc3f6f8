"""What `read_table` alone knows: sources, columns as they come, and how each becomes codes."""
