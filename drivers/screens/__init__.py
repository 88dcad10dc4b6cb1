"""From what is on a phone's screen to the answer of a search, whatever drives the phone.

search    one search          < settle, entering, entry < hands
viewer    a result in full
hands     what a platform has to be able to do (`Touch`), and what every step works with
states, tree, page, picture    what is seen: pure
"""
