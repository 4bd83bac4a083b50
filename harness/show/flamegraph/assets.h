/*
 * The styles and the script of pictures, which are part of the program: assets.S embeds them.
 */
#ifndef FLAMEGRAPH_ASSETS_H
#define FLAMEGRAPH_ASSETS_H

/* Terminated strings. */
extern const char asset_flamegraph_css[];
extern const char asset_flamegraph_js[];
extern const char asset_heatmap_css[];

#endif
