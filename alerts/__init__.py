"""What is wrong right now, and how it is said."""
