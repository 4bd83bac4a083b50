/*
 * The one comment of a pull request on GitHub: verdict, findings, what changed most, and links.
 *
 * It is posted with write permission, from profiles that anyone may have made: text from outside
 * cannot notify people, refer to issues, link or mark up; the only links are those given here.
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
	const char *page;    /* the report's page, or where to download it */
	const char *picture; /* an image, linked to the page */
	const char *vector;  /* the same as SVG, as a link */
	const char *run;     /* of the workflow */
};

/* Whether `text` can be a link as it is: http or https, with no characters that need an escape. */
bool comment_is_url(const char *text);

/*
 * Appends the comment, COMMENT_BYTES_MAX at most: findings that do not fit are counted.
 *
 * Its first line is "<!-- profile_run comment MARKER -->", by which it is found again, its second
 * "<!-- profile_run state STATE -->": "quiet" if there is nothing to report, so that the comment is
 * of use only to replace an earlier one; else "findings".
 */
void comment_write(
	const struct report_view *view, const struct comment_options *options, struct buf *out);

/*
 * Appends the same without these two lines and without links: the summary of a check run on GitHub,
 * an annotation of Buildkite.
 */
void comment_write_body(const struct report_view *view, struct buf *out);

#endif
