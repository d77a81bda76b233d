"""What tools/bench_peers times beside posenc: one file per kind of row."""
