"""Heddle's command line: run, mpi, doctor, explain, env, bench. The work itself is done by the libraries of heddle/native."""

__version__ = "0.1.0"
