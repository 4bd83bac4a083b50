#include "cli/command_line.h"

#include "base/buf.h"
#include "base/escape.h"
#include "base/mem.h"
#include "cli/command_settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool
is_among(const struct cli_arguments *words, const char *word)
{
	for (size_t i = 0; words && i < words->count; i++)
		if (words->items[i] == word)
			return true;
	return false;
}

/*
 * The number of words, from argv[0] on, that are an option with one of the values: "--name=value"
 * is one word, "--name value" two.
 */
static int
words_of_option(int argc, char **argv, const char *const *values)
{
	for (; values && *values; values++) {
		const char *end = argv[0] + strlen(argv[0]);

		if (argc > 1 && argv[1] == *values)
			return 2;
		if (*values > argv[0] && *values <= end)
			return 1;
	}
	return 0;
}

char *
command_line_quoted(
	int argc, char **argv, const struct cli_arguments *without, const char *const *values)
{
	struct buf line = {0};

	buf_puts(&line, "profile_run");
	for (int i = 0; i < argc; i++) {
		int skipped = words_of_option(argc - i, argv + i, values);

		if (skipped > 0 || is_among(without, argv[i])) {
			i += skipped > 1;
			continue;
		}
		buf_putc(&line, ' ');
		escape_shell_word(&line, argv[i]);
	}
	char *text = mem_strdup(buf_text(&line));

	buf_release(&line);
	return text;
}
