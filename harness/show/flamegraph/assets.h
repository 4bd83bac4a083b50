/* The contents of assets/, as terminated strings: assets.S has them. */
#ifndef FLAMEGRAPH_ASSETS_H
#define FLAMEGRAPH_ASSETS_H

extern const char asset_flamegraph_css[];
extern const char asset_flamegraph_js[];
extern const char asset_heatmap_css[];

#endif
