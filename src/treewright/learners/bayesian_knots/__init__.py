"""Large networks from few rows: Bayesian knots (Zeng & Hernandez 2008) and the search with a map."""
