/* The contents of assets/, as terminated strings; assets.h declares them. */
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
	.incbin "output/assets/flamegraph.js"
	.byte 0
	.size asset_flamegraph_js, . - asset_flamegraph_js

	.section .note.GNU-stack, "", %progbits
