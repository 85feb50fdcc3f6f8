"""Networks of continuous variables."""
