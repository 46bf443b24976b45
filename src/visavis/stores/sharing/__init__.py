"""Share one embedded store between processes.

An embedded store belongs to one process. The first process that opens it *hosts* it: a thread serves it over a
local socket (a Unix socket in a folder only this user can enter, with a key only this user can read), and every
other process is a client. When the host ends, or is killed, the next client that needs the store opens and hosts
it. So searching works while another process indexes, on the newest vectors and with every kind of query.
"""
