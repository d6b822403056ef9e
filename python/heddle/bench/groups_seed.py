"""What Chaarawi and Gabriel 2008 report: seed 003's tables 2 and 4, in µs, and its figures in the text."""

# Latency of a ping-pong by level of derivation: format → [level 0, level 1, ...].
INFINIBAND = {  # table 2, 48 processes, first to last
    "PList": [3.7, 3.7, 3.7, 3.7, 3.7, 3.7],
    "Range": [3.7, 3.74, 3.79, 3.85, 3.85, 3.85],
    "Strided": [3.7, 3.71, 3.74, 3.74, 3.8, 3.8],
    "Bitmap": [3.7, 3.74, 3.79, 3.79, 3.85, 3.9],
}
MYRINET = {  # table 4, 512 processes, first to last
    "PList": [7.34, 7.40, 7.30, 7.30, 7.20, 7.25, 7.25, 7.25, 7.36],
    "Range": [7.45, 7.65, 8.00, 8.00, 8.06, 8.30, 8.00, 8.05, 8.30],
    "Strided": [7.40, 7.44, 7.45, 7.39, 7.55, 7.55, 7.40, 7.55, 7.55],
    "Bitmap": [7.25, 9.05, 9.80, 10.14, 10.44, 10.50, 10.19, 10.05, 9.30],
}
HPL_LISTS, HPL_SPARSE = 724_800, 58  # bytes a process for three communicators of 90,000 processes
PER_LEVEL_NS = (40, 800)  # what a level of derivation adds to a look-up
