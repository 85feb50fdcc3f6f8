"""Example networks that the project owns, and a generator of random ones."""
