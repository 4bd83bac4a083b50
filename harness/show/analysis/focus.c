/*
 * The focus of an analysis: the functions that a pattern matches, and the stacks that hold one.
 */
#include "analysis/analysis.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "format/name_fit.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_MAX 1000
#define EXAMPLE_COLUMNS 60
#define LOOKED_AT ((size_t)2048)           /* bytes at each end of a long name */
#define MATCHING_NS ((uint64_t)2000000000) /* of CPU time, for all names */

/* The end of the bracket expression at text[at], the '[' itself: one past its ']', or 0. */
static size_t
bracket_end(const char *text, size_t at)
{
	size_t i = at + 1;

	i += text[i] == '^';
	/* A ']' that comes first is a member. */
	i += text[i] == ']';
	while (text[i] && text[i] != ']') {
		char kind = text[i + 1];

		if (text[i] == '[' && (kind == ':' || kind == '.' || kind == '=')) {
			const char end[] = {kind, ']', '\0'};
			const char *close = strstr(text + i + 2, end);

			if (!close)
				return 0;
			i = (size_t)(close - text) + 2;
		} else {
			i++;
		}
	}
	return text[i] ? i + 1 : 0;
}

/*
 * regcomp(3) says what is wrong but not where: the first bracket that is never closed or opened, or
 * else the shortest beginning that already has this error.
 */
static size_t
place_of_error(const char *pattern, int code)
{
	size_t open[PATTERN_MAX];
	size_t depth = 0;

	for (size_t i = 0; pattern[i];) {
		size_t end = i + 1;

		if (pattern[i] == '\\')
			end += pattern[i + 1] != '\0';
		else if (pattern[i] == '[')
			end = bracket_end(pattern, i);
		else if (pattern[i] == '(')
			open[depth++] = i;
		else if (pattern[i] == ')' && depth > 0)
			depth--;
		else if (pattern[i] == ')' && (code == REG_EPAREN || code == REG_ERPAREN))
			return i;
		if (end == 0 || (code == REG_EESCAPE && pattern[end] == '\0'))
			return i;
		i = end;
	}
	if (depth > 0 && code == REG_EPAREN)
		return open[depth - 1];
	for (size_t len = 1; len < strlen(pattern); len++) {
		char *start = mem_dup(pattern, len);
		regex_t regex;
		int found = regcomp(&regex, start, REG_EXTENDED | REG_NOSUB);

		free(start);
		if (found == 0)
			regfree(&regex);
		if (found == code)
			return len - 1;
	}
	return strlen(pattern) - 1;
}

/* A \1 to \9, for which regexec() may try all ways to match; NULL: there is none. */
static const char *
find_back_reference(const char *pattern)
{
	for (const char *at = strchr(pattern, '\\'); at && at[1]; at = strchr(at + 2, '\\'))
		if (at[1] >= '1' && at[1] <= '9')
			return at;
	return NULL;
}

static int
compile(regex_t *regex, const char *pattern, int flags, struct err *err)
{
	char reason[120];
	size_t len = strlen(pattern);

	if (len == 0)
		return err_set(err, ERR_USAGE, "'--focus': the expression is empty");
	if (len >= PATTERN_MAX)
		return err_set(err, ERR_USAGE,
			"'--focus': the expression has %zu bytes, %d at most", len,
			PATTERN_MAX - 1);
	const char *reference = find_back_reference(pattern);

	if (reference)
		return err_set(err, ERR_USAGE,
			"'--focus %s': character %zu: back references are not possible", pattern,
			(size_t)(reference - pattern) + 1);
	int code = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB | flags);

	if (code == 0)
		return 0;
	regerror(code, regex, reason, sizeof(reason));
	size_t at = place_of_error(pattern, code);

	err_set(err, ERR_USAGE, "'--focus %s': character %zu, '%c': %s", pattern, at + 1,
		pattern[at], reason);
	return err_note(err, "put a \\ before ( ) [ { * + ? . | ^ $ that are part of a name");
}

int
analysis_focus_check(const char *pattern, struct err *err)
{
	regex_t regex;

	if (compile(&regex, pattern, 0, err) < 0)
		return -1;
	regfree(&regex);
	return 0;
}

/*
 * Whether the name matches. regexec() may take the square of a name's length: of a long name only
 * its beginning and its end are looked at.
 */
static bool
matches_name(const regex_t *regex, struct buf *name)
{
	const size_t len = name->len;

	if (len <= 2 * LOOKED_AT)
		return regexec(regex, buf_text(name), 0, NULL, 0) == 0;
	if (regexec(regex, buf_text(name) + len - LOOKED_AT, 0, NULL, REG_NOTBOL) == 0)
		return true;
	name->data[LOOKED_AT] = '\0';
	return regexec(regex, buf_text(name), 0, NULL, REG_NOTEOL) == 0;
}

/* By frame: whether its name matches, and how many do; free() *matches. -1 on error. */
static int
match_frames(const struct profile *profile, const char *pattern, int flags, bool **matches,
	size_t *n, struct err *err)
{
	regex_t regex;

	if (compile(&regex, pattern, flags, err) < 0)
		return -1;
	const uint64_t end_ns = clock_own_cpu_ns() + MATCHING_NS;
	struct buf name = {0};
	size_t since = 0; /* bytes that were matched since the clock was read */
	bool in_time = true;

	*n = 0;
	*matches = mem_zalloc(profile->frames.nframes, sizeof(**matches));
	for (frame_id frame = 1; frame < profile->frames.nframes && in_time; frame++) {
		buf_clear(&name);
		buf_puts(&name, profile_frame_name(profile, frame));
		buf_puts(&name, frame_kind_suffix(profile->frames.frames[frame].kind));
		since += name.len;
		(*matches)[frame] = matches_name(&regex, &name);
		*n += (*matches)[frame];
		if (since > LOOKED_AT) {
			in_time = clock_own_cpu_ns() < end_ns;
			since = 0;
		}
	}
	buf_release(&name);
	regfree(&regex);
	if (in_time)
		return 0;
	free(*matches);
	*matches = NULL;
	err_set(err, ERR_INPUT, "to match the names of the profile takes too long");
	err_note(err, "write an expression with fewer repeats");
	return -1;
}

/* A hint where only the case of letters differs. */
static int
nothing_matches(const struct profile *profile, const char *pattern, struct err *err)
{
	struct err ignored = {0};
	size_t n;
	bool *matches;
	struct buf name = {0};

	err_set(err, ERR_INPUT, "none of the profile's %zu functions matches '%s'",
		profile->frames.nframes - 1, pattern);
	if (match_frames(profile, pattern, REG_ICASE, &matches, &n, &ignored) < 0)
		return -1;
	for (frame_id frame = 1; n > 0 && frame < profile->frames.nframes; frame++) {
		const char *text = profile_frame_name(profile, frame);

		if (!matches[frame])
			continue;
		name_fit(&name, text, strlen(text), EXAMPLE_COLUMNS);
		err_note(err, "case matters: '%s' would match without", buf_text(&name));
		break;
	}
	buf_release(&name);
	free(matches);
	return -1;
}

/* Finds the frames whose name is `text`, of whatever kind. */
static size_t
find_named(const struct profile *profile, const char *text, bool *matches)
{
	size_t n = 0;

	for (frame_id frame = 1; frame < profile->frames.nframes; frame++) {
		matches[frame] = strcmp(profile_frame_name(profile, frame), text) == 0;
		n += matches[frame];
	}
	return n;
}

bool *
analysis_focus_frames(
	const struct profile *profile, const char *pattern, const char **name, struct err *err)
{
	bool *matches = mem_zalloc(profile->frames.nframes, sizeof(*matches));
	size_t n;

	*name = pattern;
	if (find_named(profile, pattern, matches) > 0)
		return matches;
	free(matches);
	if (match_frames(profile, pattern, 0, &matches, &n, err) < 0)
		return NULL;
	if (n == 0) {
		free(matches);
		(void)nothing_matches(profile, pattern, err);
		return NULL;
	}
	for (frame_id frame = 1; n == 1 && frame < profile->frames.nframes; frame++)
		*name = matches[frame] ? profile_frame_name(profile, frame) : *name;
	return matches;
}

/* By node: whether it is or stands below a match. */
static bool *
find_kept(const struct ctree *tree, const bool *matches)
{
	bool *kept = mem_zalloc(tree->nnodes, sizeof(*kept));

	for (size_t i = 1; i < tree->nnodes; i++)
		kept[i] = kept[tree->nodes[i].parent] || matches[tree->nodes[i].frame];
	return kept;
}

/*
 * The stack of a sample is its node and those above it: a node keeps its weight if one of these
 * matches. Returns the weight of all stacks.
 */
static double
keep(struct profile *profile, const bool *matches)
{
	struct ctree *tree = &profile->tree;
	bool *kept = find_kept(tree, matches);
	double whole = 0;

	for (size_t column = 0; column < tree->ncolumns; column++) {
		whole += profile_column_total(profile, column);
		for (size_t i = 1; i < tree->nnodes; i++)
			if (!kept[i])
				ctree_set(tree, column, (node_id)i, 0);
	}
	free(kept);
	return whole;
}

int
analysis_focus_keep(struct profile *profile, const char *pattern, struct err *err)
{
	const char *name;
	bool *matches = analysis_focus_frames(profile, pattern, &name, err);

	if (!matches)
		return -1;
	keep(profile, matches);
	free(matches);
	return 0;
}

int
analysis_focus(
	struct analysis_focus *focus, struct profile *profile, const char *pattern, struct err *err)
{
	size_t n;
	bool *matches;

	if (match_frames(profile, pattern, 0, &matches, &n, err) < 0)
		return -1;
	if (n == 0) {
		free(matches);
		return nothing_matches(profile, pattern, err);
	}
	*focus = (struct analysis_focus){.pattern = pattern, .whole = keep(profile, matches)};
	free(matches);
	return 0;
}
