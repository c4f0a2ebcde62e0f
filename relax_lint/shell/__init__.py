"""Bash, read and evaluated statically: what does a launcher really launch?"""
