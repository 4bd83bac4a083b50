/*
 * The one comment of a pull request on GitHub: verdict, findings, what changed most, and links.
 *
 * It is posted by those who may write, of profiles that anyone may have made: no text from outside
 * notifies, refers, links or marks up, and links are only those that are given here.
 */
#ifndef OUTPUT_COMMENT_H
#define OUTPUT_COMMENT_H

#include "output/report_view.h"

#include <stdbool.h>

/* GitHub takes 65536 characters. */
#define COMMENT_BYTES_MAX ((size_t)60000)
#define COMMENT_URL_MAX 1000

/* Each NULL if there is none; else comment_is_url(). */
struct comment_options {
	const char *marker;  /* tells several comments of one pull request apart: keys_is_name() */
	const char *page;    /* the report's page, or what it can be had from */
	const char *picture; /* an image; it leads to the page */
	const char *vector;  /* the same as SVG, as a link */
	const char *run;     /* of the workflow */
};

/* Whether `text` can be a link as it is: http or https, of such characters as need no escape. */
bool comment_is_url(const char *text);

/*
 * Appends the comment, COMMENT_BYTES_MAX at most: findings that do not fit are counted.
 *
 * Its first line is "<!-- profile_run comment MARKER -->", by which it is found again, its second
 * "<!-- profile_run state STATE -->": "quiet" where there is nothing to say, and a comment is of
 * use only to replace an earlier one; else "findings".
 */
void comment_write(
	const struct report_view *view, const struct comment_options *options, struct buf *out);

#endif
