"""What Relax, Megatron and SGLang refuse, or take without effect, as one table."""
