"""Parameters for a structure, from counts, moments or incomplete rows."""
