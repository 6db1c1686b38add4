"""Models in GGUF files, run by llama.cpp on this machine: no service, no key, no network."""
