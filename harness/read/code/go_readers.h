/*
 * Whether code of a Go program takes lines of its source: it may then do other work where lines are
 * others.
 *
 * Lines come from a few functions of the standard library. Some of its packages call them, too, and
 * do nothing with lines but to write them: into the traces of a panic, profiles and reports of
 * failed tests. These calls do not count. All others do, and so do loggers that are given flags or
 * options, with which they may write the line. Functions of the program that only use the logger of
 * package log as it is take no lines.
 */
#ifndef CODE_GO_READERS_H
#define CODE_GO_READERS_H

#include "code/digest_internal.h"
#include "code/go_lines.h"

#include <stdbool.h>

/* True also where that is unknown: the table is damaged, or of another processor. */
bool go_lines_are_read(const struct digest *digest, struct go_lines *lines);

/* The inlined calls as they are in the file; NULL: they are in no constant section. */
const unsigned char *go_inlines_bytes(
	const struct digest *digest, const struct go_inlines *inlines);

#endif
