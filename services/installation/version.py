"""The version that verdicts and manifests carry; `CHANGELOG.md` lists the changes."""

SOFTWARE_VERSION = "0.1.0"
