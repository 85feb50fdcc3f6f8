#define TW_LEVEL avx512
#define TW_NAME "avx512"
#define TW_AVX512
#include "kernels.ipp"
