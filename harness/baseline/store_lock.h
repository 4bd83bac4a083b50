/*
 * The lock of a baseline, held while it is exchanged.
 */
#ifndef BASELINE_STORE_LOCK_H
#define BASELINE_STORE_LOCK_H

#include "base/err.h"

/*
 * Makes the folder that `folder` (a baseline) is to stand in, locks it and removes what a killed
 * writer has left there. Returns a descriptor for store_unlock(), -1 on error.
 */
int store_lock(const char *folder, struct err *err);

/* Gives the lock back; folders above `folder` that are empty, since writing failed, are removed. */
void store_unlock(int lock, const char *folder);

#endif
