"""Reward functions, judged together with the launches that name them."""
