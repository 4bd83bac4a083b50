/*
 * The shared object that the C files of this folder are linked into; shim.h declares it.
 */
	.section .rodata

	.balign 16
	.global shim_alloc
	.type shim_alloc, %object
shim_alloc:
	.incbin "alloc.so"
	.size shim_alloc, . - shim_alloc

	.balign 8
	.global shim_alloc_bytes
	.type shim_alloc_bytes, %object
shim_alloc_bytes:
	.quad shim_alloc_bytes - shim_alloc
	.size shim_alloc_bytes, 8

	.section .note.GNU-stack, "", %progbits
