"""Study folders on their way into the database: checked, then stored whole or not at all."""
