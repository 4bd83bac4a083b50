/*
 * The shim as it is in the program: a shared object, for LD_PRELOAD, that needs nothing but what
 * any C library has.
 */
#ifndef SHIM_SHIM_H
#define SHIM_SHIM_H

extern const char shim_alloc_start[];
extern const char shim_alloc_end[]; /* behind its last byte */

#endif
