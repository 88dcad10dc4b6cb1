"""Written test procedures as TOML; `rig.config` holds their schema."""
