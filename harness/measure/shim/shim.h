/*
 * The shim as it is in the program: a shared object, for LD_PRELOAD, that needs nothing but what
 * any C library has.
 */
#ifndef SHIM_SHIM_H
#define SHIM_SHIM_H

#include <stdint.h>

extern const char shim_alloc[];
extern const uint64_t shim_alloc_bytes;

#endif
