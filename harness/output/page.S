/* The files that the program carries: the verdict's schema, and the report page's style and script. */
#define EMBED(name, file) \
	.global name; \
	name: ; \
	.incbin file; \
	.byte 0

	.section .rodata
EMBED(output_schema_data, "output/schema/verdict.schema.json")
EMBED(output_page_css, "output/page/page.css")
EMBED(output_page_js, "output/page/page.js")

	.section .note.GNU-stack, "", %progbits
