/* The files that the program carries for the report page: its style and script. */
#define EMBED(name, file) \
	.global name; \
	name: ; \
	.incbin file; \
	.byte 0

	.section .rodata
EMBED(output_page_css, "output/page/page.css")
EMBED(output_page_js, "output/page/page.js")

	.section .note.GNU-stack, "", %progbits
