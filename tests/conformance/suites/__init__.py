"""Test suites of other projects, alone and under Heddle. The user names checkouts of the suites
outside this tree.

    suite       what a suite is: programs, cases, a verdict about a case that ran alone
    mpich, openmpi, osu, imb     how each suite is recognised and which cases it has
    build       mpicc for each program, without the suite's own configure
    job         one MPI job with a time limit, which leaves no process behind
    compare     compares two outcomes of one case
    figures     the table in docs/conformance.md

`scripts/suites` is the command.
"""
