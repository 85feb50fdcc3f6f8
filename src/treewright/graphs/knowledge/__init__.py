"""What is known before learning: arcs, orders, and sets of variables that belong together."""
