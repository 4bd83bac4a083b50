/* The program of process/launcher/, as it is built; nothing where it has no system calls. */
	.section .rodata

	.global launcher_program
	.type launcher_program, %object
launcher_program:
#if defined(__x86_64__) || defined(__aarch64__)
	.incbin "process/launcher/launcher"
#endif
	.size launcher_program, . - launcher_program
launcher_program_end:

	.balign 8
	.global launcher_program_bytes
	.type launcher_program_bytes, %object
launcher_program_bytes:
	.quad launcher_program_end - launcher_program
	.size launcher_program_bytes, 8

	.section .note.GNU-stack, "", %progbits
