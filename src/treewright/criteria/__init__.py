"""Judge a claim (independent? better?) from statistics, or from a graph as oracle."""
