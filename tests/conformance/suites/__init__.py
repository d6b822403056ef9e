"""Test suites of others, alone and under Heddle. The suites lie outside this tree, in checkouts that the user names.

    suite       what a suite is: programs, cases, a verdict about a case that ran alone
    mpich, openmpi, osu, imb     how each suite is recognised and which cases it has
    build       mpicc for each program, without the suite's own configure
    job         one MPI job with a time limit, of which no process is left behind
    compare     two outcomes of one case: are they the same?
    figures     the table in docs/conformance.md

`scripts/suites` is the command.
"""
