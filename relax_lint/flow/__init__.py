"""What Python code can return: an abstract interpreter over function bodies, shared by the rules that need it."""
