"""Rewards of this recipe; launchers name them through this package."""

from examples.pairwise.rewards.ranking import rank_group as reward_func

__all__ = ["reward_func"]
