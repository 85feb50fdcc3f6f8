"""Search for a shape with a criterion, one file per paper."""
