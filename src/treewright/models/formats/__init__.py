"""Files that models are kept in, one module per format."""
