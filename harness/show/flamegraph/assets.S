/*
 * The contents of assets/, as terminated strings; assets.h declares them. The style of flame graphs is
 * flamegraph.css, then colours.css: the fill of each kind of box, and all colours of the dark theme.
 * The parts of the script share one function, so that they leave nothing behind in the page they run
 * in.
 */
	.section .rodata

	.global asset_flamegraph_css
	.type asset_flamegraph_css, %object
asset_flamegraph_css:
	.incbin "flamegraph/assets/flamegraph.css"
	.incbin "flamegraph/assets/colours.css"
	.byte 0
	.size asset_flamegraph_css, . - asset_flamegraph_css

	.global asset_flamegraph_js
	.type asset_flamegraph_js, %object
asset_flamegraph_js:
	.ascii "(function () {\n\"use strict\";\n"
	.incbin "flamegraph/assets/model.js"
	.incbin "flamegraph/assets/packed.js"
	.incbin "flamegraph/assets/figures.js"
	.incbin "flamegraph/assets/label.js"
	.incbin "flamegraph/assets/axis.js"
	.incbin "flamegraph/assets/draw.js"
	.incbin "flamegraph/assets/search.js"
	.incbin "flamegraph/assets/zoom.js"
	.incbin "flamegraph/assets/sandwich.js"
	.incbin "flamegraph/assets/weigh.js"
	.incbin "flamegraph/assets/tip.js"
	.incbin "flamegraph/assets/keys.js"
	.incbin "flamegraph/assets/fit.js"
	.incbin "flamegraph/assets/start.js"
	.asciz "}());\n"
	.size asset_flamegraph_js, . - asset_flamegraph_js

	.global asset_heatmap_css
	.type asset_heatmap_css, %object
asset_heatmap_css:
	.incbin "flamegraph/assets/heatmap.css"
	.byte 0
	.size asset_heatmap_css, . - asset_heatmap_css

	.section .note.GNU-stack, "", %progbits
