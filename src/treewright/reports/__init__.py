"""Compare, describe and show what was learned."""
