"""Networks that mix tables and lines."""
