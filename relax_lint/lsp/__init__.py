"""The language server: what `relax-lint check` says, while the files are being typed."""
