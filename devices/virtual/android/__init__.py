"""A virtual Android phone: what an unmodified adb and uiautomator2 meet on the other end of the wire.

adbd → services → shell → commands/*      the ADB transport and the phone's command line
                → sync                    file transfer
                → uiautomator             u2.jar's JSON-RPC server on tcp:9008
phone                                     the state all of them read and change
"""
