// A stand-in for libcuda.so.1 and for a host that takes device memory. There is no device, and no
// call needs one. Heddle must see both and leave all calls to the host.
int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void) { return 1; }
