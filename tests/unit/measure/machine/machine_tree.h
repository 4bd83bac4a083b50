/*
 * Trees of plain files that stand for /proc and /sys.
 */
#ifndef UNIT_MACHINE_MACHINE_TREE_H
#define UNIT_MACHINE_MACHINE_TREE_H

#include "base/file.h"
#include "scratch.h"

/* Writes `text` to scratch->dir + path, with the folders above it. */
static inline void
machine_put(struct scratch *scratch, const char *path, const char *text)
{
	char whole[256];
	struct err err = {0};

	snprintf(whole, sizeof(whole), "%s%s", scratch->dir, path);
	*strrchr(whole, '/') = '\0';
	if (file_make_dirs(whole, &err) < 0)
		abort();
	snprintf(whole, sizeof(whole), "%s%s", scratch->dir, path);
	FILE *file = fopen(whole, "we");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		abort();
}

#endif
