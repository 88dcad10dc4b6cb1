"""Albums drawn by program: photographs that can be told apart, with metadata and queries whose answers are known."""
