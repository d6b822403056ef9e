"""Times of collectives on machines that you do not have, for `heddle simulate`.

machines.py   the machines, each number with its source
tasks.py      the benchmarks to simulate
estimating.py heddle-tool estimate: LogGP over the same schedules, to a million ranks
simgrid.py    SimGrid's network, on which heddle-smpi runs the schedules and the engine themselves
fft2d.py      the times charged to a 2-D FFT beside its transposes
table.py, figure.py  the results
"""
