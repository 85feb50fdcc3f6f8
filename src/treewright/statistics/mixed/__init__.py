"""Moments of numbers in each joint state of labels."""
