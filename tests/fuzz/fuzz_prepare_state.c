/* The file of settings that profile_run has changed: root believes what it says. */
#include "machine/prepare_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prepare_state state = {0};
	struct prepare_state again = {0};
	struct err err = {0};
	struct buf first = {0};
	struct buf second = {0};

	if (prepare_state_parse(&state, "input", (const char *)data, size, &err) == 0) {
		for (size_t i = 0; i < state.nchanges; i++)
			if (strncmp(state.changes[i].path, "/sys/", 5) != 0 ||
				strstr(state.changes[i].path, ".."))
				abort();
		/* What we write we can read. */
		prepare_state_format(&state, &first);
		if (prepare_state_parse(&again, "written", buf_text(&first), first.len, &err) < 0)
			abort();
		prepare_state_format(&again, &second);
		if (strcmp(buf_text(&first), buf_text(&second)) != 0)
			abort();
	}
	prepare_state_release(&state);
	prepare_state_release(&again);
	buf_release(&first);
	buf_release(&second);
	return 0;
}
