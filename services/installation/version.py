"""The version that verdicts and manifests carry; `CHANGELOG.md` says what changed."""

SOFTWARE_VERSION = "0.1.0"
