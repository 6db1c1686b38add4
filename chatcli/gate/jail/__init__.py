"""What runs inside the sandbox, in an interpreter of its own: the standard library and nothing else."""
