"""Hold shapes whose very type is a proof: acyclic, chordal, running intersection."""
