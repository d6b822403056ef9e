"""make demo: a photograph is filtered with a 2-D FFT over 4 ranks, by the host MPI alone and under
Heddle."""
