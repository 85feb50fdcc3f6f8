"""Large networks from few rows: what decides, and what was tried."""
