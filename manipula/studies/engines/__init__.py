"""Where a study runs: this process, processes of this machine, a Dask cluster."""
