"""Rules about interaction environments and the rollouts that drive them."""
