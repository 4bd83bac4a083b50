/*
 * Where the file of changed settings lies, and who may touch it at a time.
 */
#ifndef MACHINE_PREPARE_STORE_H
#define MACHINE_PREPARE_STORE_H

#include "base/err.h"
#include "machine/prepare_state.h"

struct prepare_store {
	int lock; /* -1: not open */
	char *path;
};

/* Waits for others who have it open. `make` makes the folder; without it *is_there tells whether
 * there is anything to open. */
int prepare_store_open(
	struct prepare_store *store, const char *root, bool make, bool *is_there, struct err *err);
/* An empty state where there is no file. */
int prepare_store_read(
	const struct prepare_store *store, struct prepare_state *state, struct err *err);
/* No file if nothing is changed. */
int prepare_store_write(
	const struct prepare_store *store, const struct prepare_state *state, struct err *err);
void prepare_store_close(struct prepare_store *store);

#endif
