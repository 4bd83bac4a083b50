/* The program of capture/cpu_features/, as it is built; nothing where it has no system calls. */
	.section .rodata

	.global cpu_features_program
	.type cpu_features_program, %object
cpu_features_program:
#if defined(__x86_64__) || defined(__aarch64__)
	.incbin "capture/cpu_features/cpu_features"
#endif
	.size cpu_features_program, . - cpu_features_program
cpu_features_program_end:

	.balign 8
	.global cpu_features_program_bytes
	.type cpu_features_program_bytes, %object
cpu_features_program_bytes:
	.quad cpu_features_program_end - cpu_features_program
	.size cpu_features_program_bytes, 8

	.section .note.GNU-stack, "", %progbits
