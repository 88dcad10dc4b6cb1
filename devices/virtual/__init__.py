"""Phones made of software, served over the wire protocols of real ones.

lab > worker > service                    all phones of a description, a process each, under the control of tests
android/ ios/ harmony/                    a platform's wire protocols, the state behind them, and the faults that only it has
gallery/                                  the gallery that all of them show; interface is the seam
cable · errands · hardware · screenshots  what a phone of any platform has
"""
