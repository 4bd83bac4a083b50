/*
 * The contents of assets/, as terminated strings; assets.h declares them. The parts of the script
 * share one function, so that they leave nothing behind in the page they run in.
 */
	.section .rodata

	.global asset_flamegraph_css
	.type asset_flamegraph_css, %object
asset_flamegraph_css:
	.incbin "output/assets/flamegraph.css"
	.byte 0
	.size asset_flamegraph_css, . - asset_flamegraph_css

	.global asset_flamegraph_js
	.type asset_flamegraph_js, %object
asset_flamegraph_js:
	.ascii "(function () {\n\"use strict\";\n"
	.incbin "output/assets/flamegraph_model.js"
	.incbin "output/assets/flamegraph_words.js"
	.incbin "output/assets/flamegraph_label.js"
	.incbin "output/assets/flamegraph_draw.js"
	.incbin "output/assets/flamegraph_search.js"
	.incbin "output/assets/flamegraph_zoom.js"
	.incbin "output/assets/flamegraph_keys.js"
	.incbin "output/assets/flamegraph_fit.js"
	.incbin "output/assets/flamegraph_start.js"
	.asciz "}());\n"
	.size asset_flamegraph_js, . - asset_flamegraph_js

	.section .note.GNU-stack, "", %progbits
