"""What is known about phones: one TOML profile per gallery, and `virtual`, phones made of software."""
