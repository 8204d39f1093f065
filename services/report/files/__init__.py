"""What leaves the application: the estimates' underlying data files, and the report as HTML, CSV and JSON."""
