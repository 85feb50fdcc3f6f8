#define TW_LEVEL baseline
#define TW_NAME "baseline"
#include "kernels.ipp"
