"""What is a body and what is far field, and how large the bodies are."""
