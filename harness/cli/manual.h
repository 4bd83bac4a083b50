/* The manual pages, which the program carries as text, for `profile_run help`. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Its texts are static, and not terminated. */
struct manual_page {
	const char *topic; /* "gate" for profile_run-gate; "profile_run" for the index */
	size_t topic_len;
	char section; /* '1', '5' or '7' */
	const char *text;
	size_t len;
};

/*
 * Sets `page` to the next page in order of sections; to the first, if it is all zero. False: none.
 */
bool manual_next(struct manual_page *page);

/* Finds the page of a verb or of another topic. False: there is none. */
bool manual_find(struct manual_page *page, const char *topic);
/*
 * Shows a page. On a terminal where man(1) has it, man takes the place of this process. Else the
 * text is written to standard output.
 */
int manual_show(const struct manual_page *page, struct err *err);

#endif
