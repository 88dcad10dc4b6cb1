"""An iPhone made of software, reached as a real one is: everything goes through usbmuxd.

service   made from its description · faults
phone     its state: activation, pairing, apps, storage, boots
usbmuxd   the one door  > lockdownd > afc, house_arrest, other services (plist protocols)
                        > wda/ (HTTP and MJPEG on the device's ports 8100 and 9100)
importer  the app that makes photos of files
"""
