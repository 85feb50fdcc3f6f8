"""The explorer page: one file that shows a model, takes what is known and answers exactly."""
