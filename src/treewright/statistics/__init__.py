"""Turn blocks of rows into additive counts and moments."""
