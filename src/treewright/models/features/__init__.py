"""Feature graphs with parameters."""
