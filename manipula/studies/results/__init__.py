"""What comes of a study: kept while it runs, whole when it is done."""
