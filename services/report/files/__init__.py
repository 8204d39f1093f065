"""What leaves the application: the data files beside the estimates, and the report as HTML, CSV and JSON."""
