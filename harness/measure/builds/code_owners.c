/* Reading a CODEOWNERS file, and matching paths with its patterns. */
#include "builds/code_owners.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((size_t)3 * 1024 * 1024)

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The end of the pattern at `at`; a blank in it has a backslash before it. */
static const char *
pattern_end(const char *at, const char *end)
{
	while (at < end && !is_blank(*at))
		at += *at == '\\' && at + 1 < end ? 2 : 1;
	return at;
}

/* Copies without the backslashes that quote. */
static const char *
copy_pattern(struct arena *arena, const char *from, const char *end)
{
	char *copy = arena_alloc(arena, (size_t)(end - from) + 1);
	size_t n = 0;

	for (; from < end; from++) {
		if (*from == '\\' && from + 1 < end)
			from++;
		copy[n++] = *from;
	}
	copy[n] = '\0';
	return copy;
}

/* The words of the rest of the line, up to a comment, with one blank between. */
static const char *
copy_owners(struct arena *arena, const char *at, const char *end)
{
	char *copy = arena_alloc(arena, (size_t)(end - at) + 1);
	size_t n = 0;

	for (;;) {
		while (at < end && is_blank(*at))
			at++;
		if (at == end || *at == '#')
			break;
		if (n > 0)
			copy[n++] = ' ';
		while (at < end && !is_blank(*at))
			copy[n++] = *at++;
	}
	copy[n] = '\0';
	return copy;
}

static void
parse_line(struct code_owners *owners, const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	/* A section of GitLab: "[Docs][2] @writers", "^[Optional]". */
	if (at == end || *at == '#' || *at == '[' || *at == '^' || *at == '!')
		return;
	const char *stop = pattern_end(at, end);
	const bool is_folder = stop - at > 1 && stop[-1] == '/';

	owners->rules = mem_grow(
		owners->rules, &owners->capacity, owners->count + 1, sizeof(*owners->rules));
	owners->rules[owners->count++] = (struct owner_rule){
		.pattern = copy_pattern(&owners->arena, at, stop - is_folder),
		.is_folder = is_folder,
		.owners = copy_owners(&owners->arena, stop, end),
	};
}

void
code_owners_parse(struct code_owners *owners, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		/* A line with a NUL is not text. */
		if (!memchr(text, '\0', (size_t)((stop ? stop : end) - text)))
			parse_line(owners, text, stop ? stop : end);
		text = stop ? stop + 1 : end;
	}
}

void
code_owners_read(struct code_owners *owners, const char *top)
{
	static const char *const places[] = {
		".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && owners->count == 0; i++) {
		char *path = file_join(top, places[i]);
		struct buf text = {0};
		struct err ignored = {0};

		if (file_exists(path) && file_read(path, &text, BYTES_MAX, &ignored) == 0)
			code_owners_parse(owners, buf_text(&text), text.len);
		buf_release(&text);
		free(path);
	}
}

void
code_owners_release(struct code_owners *owners)
{
	arena_release(&owners->arena);
	free(owners->rules);
	*owners = (struct code_owners){0};
}

/* Where matching goes on after the text that a "*" stands for was made longer. */
struct retry {
	const char *pattern; /* after the "*"; NULL: there is no "*" yet */
	const char *path;    /* after the text that the "*" stands for */
	bool by_names;       /* the text grows by a whole name and its "/" at a time */
};

static bool
lengthen(struct retry *retry, const char *end, bool crosses)
{
	if (!retry->pattern || retry->path == end || (!crosses && *retry->path == '/'))
		return false;
	if (retry->by_names) {
		const char *slash = memchr(retry->path, '/', (size_t)(end - retry->path));

		retry->path = slash ? slash : end - 1;
	}
	retry->path++;
	return true;
}

/*
 * Whether path[0..len) fits the pattern. "*" and "**" stand for as little as possible; where the
 * rest does not fit, the latest "*" is lengthened, and where that cannot be, the latest "**".
 */
static bool
fits(const char *pattern, const char *path, size_t len)
{
	const char *end = path + len;
	struct retry name = {.pattern = NULL};
	struct retry names = {.pattern = NULL};

	while (path < end || *pattern) {
		if (pattern[0] == '*' && pattern[1] == '*') {
			names.by_names = pattern[2] == '/';
			names.pattern = pattern += names.by_names ? 3 : 2;
			names.path = path;
			name.pattern = NULL;
		} else if (*pattern == '*') {
			name.pattern = ++pattern;
			name.path = path;
		} else if (path < end && (*pattern == *path || (*pattern == '?' && *path != '/'))) {
			pattern++;
			path++;
		} else if (lengthen(&name, end, false)) {
			pattern = name.pattern;
			path = name.path;
		} else if (lengthen(&names, end, true)) {
			pattern = names.pattern;
			path = names.path;
			name.pattern = NULL;
		} else {
			return false;
		}
	}
	return true;
}

/* Whether the path fits the pattern, or a folder above it does: its owners own what is in it. */
static bool
fits_or_holds(const struct owner_rule *rule, const char *pattern, const char *path)
{
	const size_t len = strlen(pattern);
	/* Such a pattern stands for the files of the folder, but not for those of its subfolders.
	 */
	const bool only_files = len >= 2 && strcmp(pattern + len - 2, "/*") == 0;

	if (!rule->is_folder && fits(pattern, path, strlen(path)))
		return true;
	for (const char *slash = strchr(path, '/'); slash && !only_files;
		slash = strchr(slash + 1, '/')) {
		if (fits(pattern, path, (size_t)(slash - path)))
			return true;
	}
	return false;
}

static bool
rule_fits(const struct owner_rule *rule, const char *path)
{
	/* A pattern with a "/" starts at the top of the repository, any other in any folder. */
	if (strchr(rule->pattern, '/'))
		return fits_or_holds(rule, rule->pattern + (rule->pattern[0] == '/'), path);
	for (; path; path = strchr(path, '/')) {
		path += path[0] == '/';
		if (fits_or_holds(rule, rule->pattern, path))
			return true;
	}
	return false;
}

const char *
code_owners_of(const struct code_owners *owners, const char *path)
{
	for (size_t i = owners->count; i-- > 0;) {
		if (rule_fits(&owners->rules[i], path))
			return owners->rules[i].owners;
	}
	return "";
}

/* Whether the word is one of `words`, which have a blank between. */
static bool
is_among(const char *words, const char *word, size_t len)
{
	while (*words) {
		const size_t next = strcspn(words, " ");

		if (next == len && memcmp(words, word, len) == 0)
			return true;
		words += next + (words[next] == ' ');
	}
	return false;
}

void
code_owners_add(struct buf *all, const char *owners)
{
	while (*owners) {
		const size_t len = strcspn(owners, " ");

		if (!is_among(buf_text(all), owners, len)) {
			buf_puts(all, all->len > 0 ? " " : "");
			buf_put(all, owners, len);
		}
		owners += len + (owners[len] == ' ');
	}
}
