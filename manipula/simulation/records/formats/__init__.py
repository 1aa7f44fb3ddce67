"""One file a format: each gives the columns of a recording under the heads it has there."""
