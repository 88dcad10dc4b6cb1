"""Albums: a folder of photos with a manifest and queries, imported from anybody's photos or drawn by program."""
