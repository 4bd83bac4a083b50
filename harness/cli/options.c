#include "cli/options.h"

#include "base/buf.h"
#include "base/colour.h"
#include "base/log.h"
#include "base/mem.h"
#include "spec/suggest.h"
#include "spec/units.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The page of help: the column where texts begin, and the width of a line. */
#define HELP_COLUMN 31
#define LINE_COLUMNS 100

static bool common_quiet;
static bool common_verbose;
static bool no_sandbox;
static const char *common_color = "auto";

static const struct cli_option common_options[] = {
	{"quiet", 'q', OPTION_FLAG, NULL, &common_quiet, "no progress, only results and errors"},
	{"verbose", 'v', OPTION_FLAG, NULL, &common_verbose, "detailed messages"},
	{"color", 0, OPTION_TEXT, "auto|always|never", &common_color,
		"colour verdicts; auto: on a terminal, unless NO_COLOR is set"},
	{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
};

/* The options of verbs that are confined, beside their own. */
static const struct cli_option sandbox_options[] = {
	{"no-sandbox", 0, OPTION_FLAG, NULL, &no_sandbox,
		"read input with all rights of the user, not isolated"},
	{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
};

bool
cli_sandbox_wanted(void)
{
	return !no_sandbox;
}

/* Appends the name and value of an option; the columns of its first line. */
static size_t
put_name(struct buf *out, const struct cli_option *option)
{
	const size_t start = out->len;

	buf_printf(out, "  %c%c%c --%s%s", option->letter ? '-' : ' ',
		option->letter ? option->letter : ' ', option->letter ? ',' : ' ', option->name,
		option->value ? " " : "");
	const size_t indent = out->len - start;
	size_t column = indent;
	size_t first = 0;

	/* Many choices take several lines. */
	for (const char *at = option->value ? option->value : ""; *at;) {
		const char *bar = strchr(at, '|');
		const size_t len = bar ? (size_t)(bar - at) + 1 : strlen(at);

		if (column + len > LINE_COLUMNS) {
			buf_printf(out, "\n%*s", (int)indent, "");
			first = first > 0 ? first : column;
			column = indent;
		}
		buf_put(out, at, len);
		column += len;
		at += len;
	}
	return first > 0 ? first : column;
}

/* Appends an option to the page of help. */
static void
put_option(struct buf *out, const struct cli_option *option)
{
	size_t column = put_name(out, option);

	/* The text of a long option begins on the next line. */
	if (column >= HELP_COLUMN) {
		buf_putc(out, '\n');
		column = 0;
	}
	buf_printf(out, "%*s", (int)(HELP_COLUMN - 1 - column), "");
	column = HELP_COLUMN - 1;

	for (const char *word = option->help; *word;) {
		size_t len = strcspn(word, " ");

		if (column + 1 + len > LINE_COLUMNS) {
			buf_printf(out, "\n%*s", HELP_COLUMN - 1, "");
			column = HELP_COLUMN - 1;
		}
		buf_printf(out, " %.*s", (int)len, word);
		column += 1 + len;
		word += len + strspn(word + len, " ");
	}
	buf_putc(out, '\n');
}

static void
show_help(const struct cli_verb *verb, const struct cli_option *options)
{
	struct buf out = {0};

	buf_printf(&out, "usage: profile_run %s%s%s\n\n%s.\n\nOptions:\n", verb->name,
		*verb->usage ? " " : "", verb->usage, verb->summary);
	for (const struct cli_option *option = options; option->name; option++)
		put_option(&out, option);
	for (const struct cli_option *option = sandbox_options; verb->is_confined && option->name;
		option++)
		put_option(&out, option);
	for (const struct cli_option *option = common_options; option->name; option++)
		put_option(&out, option);
	buf_puts(&out, "      --help                   show this help\n\n");
	buf_printf(&out, "See also the manual page profile_run-%s(1).\n", verb->name);
	fputs(buf_text(&out), stdout);
	buf_release(&out);
}

int
cli_usage_error(const struct cli_verb *verb, struct err *err)
{
	err_note(
		err, "usage: profile_run %s%s%s", verb->name, *verb->usage ? " " : "", verb->usage);
	return err_note(err, "'profile_run %s --help' lists the options", verb->name);
}

static void
add_item(struct cli_arguments *list, const char *item)
{
	size_t capacity = list->count;

	list->items = mem_grow(list->items, &capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = item;
}

static int
set_value(const struct cli_verb *verb, const struct cli_option *option, const char *value,
	struct err *err)
{
	const char *problem = NULL;
	char *end;

	switch (option->kind) {
	case OPTION_FLAG:
		*(bool *)option->target = true;
		return 0;
	case OPTION_TEXT:
	case OPTION_NEEDED_TEXT:
		*(const char **)option->target = value;
		return 0;
	case OPTION_LIST:
		add_item(option->target, value);
		return 0;
	case OPTION_COUNT:
		if (units_count(value, 1, INT_MAX, option->target, &problem) == 0)
			return 0;
		break;
	case OPTION_FREQUENCY:
		if (units_frequency(value, option->target, &problem) == 0)
			return 0;
		break;
	case OPTION_SIZE:
		if (units_stack_size(value, option->target, &problem) == 0)
			return 0;
		break;
	case OPTION_DURATION:
		if (isdigit((unsigned char)value[0])) {
			double seconds = strtod(value, &end);

			if (*end == '\0' && seconds > 0 && seconds < 1e9) {
				*(double *)option->target = seconds;
				return 0;
			}
		}
		if (units_duration(value, option->target, &problem) == 0)
			return 0;
		break;
	}
	err_set(err, ERR_USAGE, "'--%s %s': %s", option->name, value,
		problem ? problem : "not a valid value");
	return cli_usage_error(verb, err);
}

static const struct cli_option *
find_long(const struct cli_option *options, const char *name, size_t len)
{
	for (; options->name; options++) {
		if (strlen(options->name) == len && memcmp(options->name, name, len) == 0)
			return options;
	}
	return NULL;
}

static const struct cli_option *
find_letter(const struct cli_option *options, char letter)
{
	for (; options->name; options++) {
		if (options->letter == letter)
			return options;
	}
	return NULL;
}

/* The known option that was probably meant; NULL: none is similar. */
static const char *
nearest_name(const struct cli_option *options, const char *name)
{
	const char *names[32];
	size_t n = 0;

	for (; options->name && n < sizeof(names) / sizeof(names[0]); options++)
		names[n++] = options->name;
	return suggest_nearest(name, names, n);
}

static int
unknown_option(const struct cli_verb *verb, const struct cli_option *options, const char *text,
	struct err *err)
{
	const char *nearest = strncmp(text, "--", 2) == 0 ? nearest_name(options, text + 2) : NULL;

	err_set(err, ERR_USAGE, "unknown option '%s'", text);
	if (nearest)
		err_note(err, "did you mean '--%s'?", nearest);
	return cli_usage_error(verb, err);
}

/* Whether it is no option: a word, or "-" for standard input. */
static bool
is_plain(const char *text)
{
	return text[0] != '-' || text[1] == '\0';
}

/* Parses the option at argv[*at] and moves *at past its value. */
static int
parse_one(const struct cli_verb *verb, char **argv, int *at, const struct cli_option *options,
	struct err *err)
{
	const char *text = argv[*at];
	bool is_long = text[1] == '-';
	const char *name = text + (is_long ? 2 : 1);
	size_t len = is_long ? strcspn(name, "=") : 1;
	const struct cli_option *option =
		is_long ? find_long(options, name, len) : find_letter(options, *name);

	if (!option)
		option = is_long ? find_long(common_options, name, len)
				 : find_letter(common_options, *name);
	if (!option && is_long && verb->is_confined)
		option = find_long(sandbox_options, name, len);
	if (!option)
		return unknown_option(verb, options, text, err);
	const char *value = name + len;

	if (is_long && *value == '=')
		value++;
	else if (*value == '\0')
		value = NULL;
	if (option->kind == OPTION_FLAG && value) {
		err_set(err, ERR_USAGE, "option '--%s' takes no value", option->name);
		return cli_usage_error(verb, err);
	}
	if (option->kind != OPTION_FLAG && !value) {
		value = argv[*at + 1];
		/* A list option that is followed by an option has no items. */
		if (!value || (option->kind == OPTION_LIST && !is_plain(value))) {
			err_set(err, ERR_USAGE, "option '--%s' needs a value: %s", option->name,
				option->value);
			return cli_usage_error(verb, err);
		}
		(*at)++;
	}
	(*at)++;
	if (set_value(verb, option, value, err) < 0)
		return -1;
	while (option->kind == OPTION_LIST && argv[*at] && is_plain(argv[*at]))
		add_item(option->target, argv[(*at)++]);
	return 0;
}

/* Parses argv into options and arguments. 1: --help was given, and has been printed. */
static int
parse(struct cli_call *call, const struct cli_option *options, struct err *err)
{
	struct cli_arguments *arguments = &call->arguments;
	bool options_ended = false;

	for (int at = 1; at < call->argc;) {
		const char *text = call->argv[at];

		if (options_ended || is_plain(text)) {
			arguments->items[arguments->count++] = text;
			options_ended = options_ended || call->verb->takes_command;
			at++;
		} else if (strcmp(text, "--") == 0) {
			options_ended = true;
			at++;
		} else if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
			show_help(call->verb, options);
			return 1;
		} else if (parse_one(call->verb, call->argv, &at, options, err) < 0) {
			return -1;
		}
	}
	return 0;
}

/* Checks that needed options are given, and arguments only where the verb takes them. */
static int
check_call(const struct cli_call *call, const struct cli_option *options, struct err *err)
{
	for (; options->name; options++) {
		if (options->kind == OPTION_NEEDED_TEXT && !*(const char **)options->target) {
			err_set(err, ERR_USAGE, "'profile_run %s' needs '--%s'", call->verb->name,
				options->name);
			return cli_usage_error(call->verb, err);
		}
	}
	if (call->arguments.count == 0 || call->verb->takes_arguments)
		return 0;
	err_set(err, ERR_USAGE, "unexpected argument '%s'", call->arguments.items[0]);
	return cli_usage_error(call->verb, err);
}

/* Applies --quiet, --verbose and --color. */
static int
apply_common(const struct cli_verb *verb, struct err *err)
{
	static const char *const names[] = {
		[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never"};

	if (common_quiet)
		log_set_level(LOG_ERROR);
	else if (common_verbose)
		log_set_level(LOG_DEBUG);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(common_color, names[i]) == 0) {
			colour_set((enum colour_when)i);
			return 0;
		}
	}
	err_set(err, ERR_USAGE, "'--color %s': expected auto, always or never", common_color);
	return cli_usage_error(verb, err);
}

int
cli_perform(const struct cli_call *call, const struct cli_option *options, cli_action action,
	void *context, struct err *err)
{
	struct cli_call parsed = *call;

	if (call->look) {
		call->look(options, call->look_context);
		if (call->verb->is_confined)
			call->look(sandbox_options, call->look_context);
		call->look(common_options, call->look_context);
		return 0;
	}
	parsed.arguments.items = mem_zalloc((size_t)call->argc + 1, sizeof(const char *));
	int result = parse(&parsed, options, err);

	if (result == 0)
		result = apply_common(call->verb, err);
	if (result == 0)
		result = check_call(&parsed, options, err);
	if (result == 0)
		result = action(&parsed, context, err);
	else if (result > 0)
		result = 0;
	free(parsed.arguments.items);
	return result;
}
