"""Phones made of software, served over the wire protocols of real ones."""
