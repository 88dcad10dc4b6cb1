"""WebDriverAgent's HTTP, as version 16 speaks it: {"value": …, "sessionId": …}, W3C errors, points instead of pixels.

server   HTTP and MJPEG over any pair of streams
routes   paths → what they do   < session   < query (predicates, class chains, XPath)  < elements, predicates
"""
