/*
 * Files that are part of the program: scripts and styles, embedded by assets.S.
 */
#ifndef FLAMEGRAPH_ASSETS_H
#define FLAMEGRAPH_ASSETS_H

/* Terminated strings. */
extern const char asset_flamegraph_css[];
extern const char asset_flamegraph_js[];

#endif
