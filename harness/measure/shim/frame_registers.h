/*
 * The DWARF numbers of the registers that are followed.
 */
#ifndef SHIM_FRAME_REGISTERS_H
#define SHIM_FRAME_REGISTERS_H

#if defined(__x86_64__)
#define FRAME_SP 7
#define FRAME_FP 6
#define FRAME_RA 16
#elif defined(__aarch64__)
#define FRAME_SP 31
#define FRAME_FP 29
#define FRAME_RA 30
#else
#define FRAME_SP 0
#define FRAME_FP 1
#define FRAME_RA 2
#endif

#endif
