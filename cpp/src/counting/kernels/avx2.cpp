#define TW_LEVEL avx2
#define TW_NAME "avx2"
#define TW_AVX2
#include "kernels.ipp"
