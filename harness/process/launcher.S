/* The program of process/launcher/, as it is built; nothing where it has no system calls. */
	.section .rodata
	.global launcher_program
	.global launcher_program_end
launcher_program:
#if defined(__x86_64__) || defined(__aarch64__)
	.incbin "process/launcher/launcher"
#endif
launcher_program_end:

	.section .note.GNU-stack, "", %progbits
