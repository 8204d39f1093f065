"""Study folders: the protocol and the tables beside it, read and checked."""
