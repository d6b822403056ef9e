// A stand-in for libcuda.so.1 and for a host that takes device memory: there is no device here, and none is asked for. What is
// tested is that Heddle sees both and leaves all to the host.
int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void) { return 1; }
