"""How commands read evidence and print answers."""
