"""One embedded store, many processes.

An embedded store belongs to one process. Whoever opens it first therefore *hosts* it: a thread serves it over a
local socket (a Unix socket in a folder only this user can enter, with a key only this user can read), and every
other process talks to that. When the host ends, or is killed, the next one that needs the store opens it and hosts
it in turn. So searching works while another process indexes, on the newest vectors and with every kind of query.
"""
