"""Networks and their equivalence classes, searched by a score."""
