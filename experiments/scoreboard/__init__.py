"""All learners and the peers that are installed, on the networks of the catalogue: one page, one picture."""
