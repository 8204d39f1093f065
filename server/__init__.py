"""The ASGI side: sign-in, the login-session cookie, the gate in front of everything, and the reading room's routes."""
