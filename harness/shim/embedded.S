/*
 * The shared object that the C files of this folder are linked into; shim.h declares it.
 */
	.section .rodata

	.balign 16
	.global shim_alloc_start
	.type shim_alloc_start, %object
shim_alloc_start:
	.incbin "alloc.so"
	.size shim_alloc_start, . - shim_alloc_start

	.global shim_alloc_end
	.type shim_alloc_end, %object
shim_alloc_end:
	.size shim_alloc_end, 0

	.section .note.GNU-stack, "", %progbits
