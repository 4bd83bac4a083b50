/*
 * Redaction rules: any bytes are read as a file of them. What is accepted is complete, and hides
 * the names that no rule keeps; the rest has a message.
 */
#include "base/file.h"
#include "output/redact.h"
#include "profile/folded.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char stacks[] = "app;main;work;[unknown] 3\napp;main;rest_[i] 2\n";

static void
check(bool good)
{
	if (!good)
		abort();
}

static bool
keeps_any(const struct redaction *redaction)
{
	for (size_t i = 0; i < redaction->nrules; i++)
		if (redaction->rules[i].action == REDACT_KEEP ||
			redaction->rules[i].action == REDACT_CLASS)
			return true;
	return redaction->otherwise.action == REDACT_CLASS;
}

static void
redact(const struct redaction *redaction)
{
	struct profile profile;
	struct profile redacted;
	struct err err = {0};

	profile_init(&profile);
	check(folded_read(&profile, "input", stacks, strlen(stacks), &err) == 0);
	redact_profile(&redacted, &profile, redaction);
	check(profile_column_total(&redacted, 0) == 5);
	for (frame_id id = 1; !keeps_any(redaction) && id < redacted.frames.nframes; id++)
		check(strcmp(profile_frame_name(&redacted, id), "work") != 0);
	profile_release(&redacted);
	profile_release(&profile);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The file of a key lies beside the rules: among descriptors, it could be a pipe. */
	char dir[] = "/tmp/profile_run-fuzz-XXXXXX";
	struct err err = {0};
	struct redaction redaction;

	check(mkdtemp(dir) != NULL);
	char *path = file_join(dir, "rules.yaml");

	check(file_write(path, data, size, &err) == 0);
	if (redaction_read(&redaction, path, &err) < 0) {
		check(err.kind != ERR_NONE && err.len > 0);
	} else {
		check(redaction.key_len >= 16 && redaction.otherwise.action != REDACT_KEEP);
		redact(&redaction);
	}
	redaction_release(&redaction);
	check(unlink(path) == 0 && rmdir(dir) == 0);
	free(path);
	return 0;
}
