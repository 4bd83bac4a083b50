/*
 * Making one change of a setting, and undoing all of them.
 */
#ifndef MACHINE_PREPARE_CHANGE_H
#define MACHINE_PREPARE_CHANGE_H

#include "base/buf.h"
#include "machine/prepare_state.h"

/* Makes one change. -1, with the reason in `notes`, where it failed; then nothing has changed. */
int prepare_apply(const struct prepare_change *change, const char *root, struct buf *notes);

/*
 * Restores all settings, the last change first, and empties the list of changes. Settings that
 * somebody else has changed in the meantime are left as they are. These and failures are noted, a
 * line each.
 */
void prepare_state_undo(struct prepare_state *state, const char *root, struct buf *notes);

#endif
