"""A gallery app made of software: library, indexer, search and screens, of any maker's looks, without a wire.

    skin (data) ─┐
    library → indexer → search → finder → pages → app    (app is what wire servers speak to)
                                   thumbnails → render ┘

The wire servers import `build_gallery` from `app`; everything else is its own.
"""
