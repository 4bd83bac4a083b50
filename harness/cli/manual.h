/*
 * The manual pages, which the program carries as text: `profile_run help` shows one.
 */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Texts of static storage, none of them terminated. */
struct manual_page {
	const char *topic; /* "gate" of profile_run-gate; of the index, "profile_run" */
	size_t topic_len;
	char section; /* '1', '5' or '7' */
	const char *text;
	size_t len;
};

/* The first page after a zeroed one, else the next in order of sections; false after the last. */
bool manual_next(struct manual_page *page);

/* Finds the page of a verb or of another topic. */
bool manual_find(struct manual_page *page, const char *topic);

/*
 * On a terminal where man(1) has the page, it takes the place of this process. Else the text goes
 * to standard output.
 */
int manual_show(const struct manual_page *page, struct err *err);

#endif
