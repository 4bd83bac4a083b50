/* Writes the windows of a watch. */
#ifndef WATCH_WINDOWS_FIXTURE_H
#define WATCH_WINDOWS_FIXTURE_H

#include "profile/folded.h"
#include "scratch.h"
#include "unit.h"
#include "watch/windows.h"

#include <stdint.h>
#include <string.h>

#define WINDOWS_EVERY_S 600

/* When window `number` begins; the first is number 0. */
static inline int64_t
windows_fixture_start(unsigned number)
{
	return INT64_C(1800000000) + (int64_t)number * WINDOWS_EVERY_S;
}

/* Writes window `number` of these stacks. */
static inline void
windows_fixture_add(struct scratch *scratch, unsigned number, const char *text)
{
	struct err err = {0};
	struct profile profile;

	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(&profile, "t", text, strlen(text), &err), 0);
	profile_sort(&profile);
	profile.started = windows_fixture_start(number);
	CU_ASSERT_EQUAL_FATAL(windows_add(scratch->dir, &profile, &err), 0);
	profile_release(&profile);
}

#endif
