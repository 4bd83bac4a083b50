/* The files that the program carries for its pages: styles and scripts. */
#define EMBED(name, file) \
	.global name; \
	name: ; \
	.incbin file; \
	.byte 0

	.section .rodata
EMBED(output_page_css, "output/page/page.css")
	.global output_page_js
output_page_js:
	.incbin "output/page/rows.js"
	.incbin "output/page/page.js"
	.byte 0
EMBED(output_trend_css, "output/page/trend.css")
EMBED(output_trend_js, "output/page/trend.js")
EMBED(output_heatmap_css, "output/page/heatmap.css")
EMBED(output_heatmap_js, "output/page/heatmap.js")

	.section .note.GNU-stack, "", %progbits
