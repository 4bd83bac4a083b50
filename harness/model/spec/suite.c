#include "spec/suite.h"

#include "base/escape.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/text.h"
#include "spec/keys.h"

#include <stdlib.h>
#include <string.h>

/* Characters with a meaning in the dialects of C++, POSIX and Go. */
static bool
is_special(char c)
{
	return c != '\0' && strchr("\\.[]{}()*+?|^$", c);
}

void
suite_put_regex(struct buf *out, const char *name)
{
	for (; *name; name++) {
		if (is_special(*name))
			buf_putc(out, '\\');
		buf_putc(out, *name);
	}
}

bool
suite_is_plain(const char *name, size_t len)
{
	char *copy = mem_dup(name, len);

	escape_terminal(copy, len);
	const bool plain = memcmp(copy, name, len) == 0 && !memchr(name, '\0', len) &&
			   !escape_has_control(copy);

	free(copy);
	return plain;
}

bool
suite_chooses(const struct suite *suite, const char *benchmark)
{
	bool chosen = !suite->include;

	for (size_t i = 0; suite->include && suite->include[i] && !chosen; i++)
		chosen = text_matches(benchmark, suite->include[i]);
	for (size_t i = 0; suite->exclude && suite->exclude[i] && chosen; i++)
		chosen = !text_matches(benchmark, suite->exclude[i]);
	return chosen;
}

/*
 * Commands
 */

static size_t
count_words(const char *const *words)
{
	size_t count = 0;

	while (words && words[count])
		count++;
	return count;
}

const char *const *
suite_list_command(
	const struct suite *suite, const char *const *run, bool probe, struct arena *arena)
{
	if (suite->list)
		return suite->list;
	const char *const *options = suite->preset->list_options;
	const size_t nrun = count_words(run);
	const size_t noptions = count_words(options);
	const char **command = arena_alloc(arena, (nrun + noptions + 2) * sizeof(*command));

	memcpy(command, run, nrun * sizeof(*command));
	memcpy(command + nrun, options, noptions * sizeof(*command));
	command[nrun + noptions] = probe ? suite->preset->probe : NULL;
	command[nrun + noptions + 1] = NULL;
	return command;
}

/*
 * The word with {name} replaced: behind '^' the name is part of a regular expression, elsewhere it
 * stands as it is. In a preset's options it is as the preset has it.
 */
static const char *
put_into_word(const char *word, const struct suite_unit *unit, bool of_preset, struct arena *arena)
{
	static const char mark[] = "{name}";
	struct buf out = {0};
	const char *at = word;

	for (const char *found; (found = strstr(at, mark)); at = found + sizeof(mark) - 1) {
		buf_put(&out, at, (size_t)(found - at));
		if (of_preset)
			unit->suite->preset->put_name(&out, unit->benchmark);
		else if (found > word && found[-1] == '^')
			suite_put_regex(&out, unit->benchmark);
		else
			buf_puts(&out, unit->benchmark);
	}
	buf_puts(&out, at);
	const char *made = arena_strdup(arena, buf_text(&out));

	buf_release(&out);
	return made;
}

/* The word of a preset's options that has {amount}: by time for now. */
static const char *
put_amount(const char *option, const struct suite_amount *amount, size_t word,
	struct suite_unit *unit, struct arena *arena)
{
	static const char mark[] = "{amount}";
	const char *found = strstr(option, mark);

	if (!found)
		return option;
	unit->amount_word = word;
	unit->amount_before = arena_dup(arena, option, (size_t)(found - option));
	unit->amount_after = amount->fixed;
	return arena_printf(arena, "%s%s", unit->amount_before, amount->by_time);
}

const char *const *
suite_run_command(const char *const *run, bool older, struct suite_unit *unit, struct arena *arena)
{
	const struct suite *suite = unit->suite;
	const char *const *options = suite->by_hand ? NULL : suite->preset->run_options;
	const size_t nrun = count_words(run);
	const size_t noptions = count_words(options);
	const char **command = arena_alloc(arena, (nrun + noptions + 1) * sizeof(*command));

	for (size_t i = 0; i < nrun; i++)
		command[i] = suite->by_hand ? put_into_word(run[i], unit, false, arena) : run[i];
	for (size_t i = 0; options && i < noptions; i++)
		command[nrun + i] = put_into_word(
			put_amount(options[i],
				older ? &suite->preset->older : &suite->preset->amount, nrun + i,
				unit, arena),
			unit, true, arena);
	command[nrun + noptions] = NULL;
	return command;
}

uint64_t
suite_round_iterations(double iterations)
{
	static const double steps[] = {5, 2, 1};
	double power = 1;

	while (iterations >= 10 * power && power < (double)SUITE_ITERATIONS_MAX)
		power *= 10;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (iterations >= steps[i] * power)
			return (uint64_t)(steps[i] * power);
	return 1;
}

/*
 * Names
 */

/* Bytes of a benchmark's name that its folder has, and digits of the hash of all of it. */
#define FOLDER_BENCHMARK_MAX 60
#define FOLDER_HASH_DIGITS 16

bool
unit_is_name(const char *name)
{
	const char *slash = strchr(name, '/');

	if (!slash)
		return keys_is_name(name);
	char *suite = mem_dup(name, (size_t)(slash - name));
	const size_t len = strlen(slash + 1);
	const bool valid = keys_is_name(suite) && len > 0 && len <= SUITE_NAME_MAX + 32 &&
			   suite_is_plain(slash + 1, len);

	free(suite);
	return valid;
}

const char *
unit_folder(const char *name, struct arena *arena)
{
	const char *slash = strchr(name, '/');
	struct buf folder = {0};
	char hash[SHA256_TEXT_SIZE];

	if (!slash)
		return name;
	buf_put(&folder, name, (size_t)(slash - name));
	buf_putc(&folder, UNIT_FOLDER_MARK);
	const size_t begin = folder.len;

	for (const char *at = slash + 1; *at && folder.len - begin < FOLDER_BENCHMARK_MAX; at++) {
		const bool is_kept =
			text_is_letter(*at) || text_is_digit(*at) || strchr("_.-", *at);

		buf_put(&folder, is_kept ? at : "_", 1);
	}
	if (strcmp(buf_text(&folder) + begin, slash + 1) != 0) {
		sha256_text(name, strlen(name), hash);
		buf_printf(&folder, "-%.*s", FOLDER_HASH_DIGITS, hash);
	}
	const char *made = arena_strdup(arena, buf_text(&folder));

	buf_release(&folder);
	return made;
}
