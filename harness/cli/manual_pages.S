/* The manual pages as text, as text.awk makes it when the program is built; verb.c reads it. */
	.section .rodata
	.global cli_manual_pages
cli_manual_pages:
	.incbin "manual.txt"
	.byte 0

	.section .note.GNU-stack, "", %progbits
