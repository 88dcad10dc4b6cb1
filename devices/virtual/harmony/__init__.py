"""A virtual HarmonyOS phone: what an `hdc` command meets on the other end of its server's channel.

channel → commands → shell → system, media, storage commands    the hdc server's protocol and the phone's command line
        → transfer                                              `file send`, `file recv`
        → forwards → uitest                                     uitest's JSON calls on tcp:8012
phone                                                           the state all of them read and change
bin/hdc                                                         a stand-in for the `hdc` executable
"""
