"""Put parameters on a shape and answer questions with it."""
