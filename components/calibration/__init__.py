"""The screens on judges: runs, labels, sealed parts, calibration."""
