"""From runs to what may leave the lab.

study      which phone is which letter in one study; private
tables     scoreboards as tables of cells
gathering  runs and prediction files as one publication
crops      result crops, only on request
secrets    what must not leave: what the ledgers know of phones, and what this host knows of itself
writing    the export folder, searched for leaks before anybody sees it
"""
