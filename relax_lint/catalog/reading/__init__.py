"""Reading which flags a program registers, from its sources alone: nothing of it is imported or run.

A small interpreter walks the syntax trees of the functions that build the parsers. It computes with plain values, keeps
what it cannot know as :class:`values.Unknown`, and hands every registration to stand-ins for argparse's classes.
"""
