"""Other projects' names over the same functions, one module per project."""
