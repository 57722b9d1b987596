"""Arguments of a case, checked before anything is built, and the methods that users call."""
