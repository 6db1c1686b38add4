"""Reading what the tools returned back into data, so that an answer can be made of it."""
