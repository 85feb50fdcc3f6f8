"""Commands about the networks that come with the package."""
