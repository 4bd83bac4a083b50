/*
 * A parser of mangled names of Rust, scheme v0, that only finds how long libiberty would need for
 * one (rust_name_is_bounded()).
 */
#include "elf/demangle_internal.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* For all binders of a name; compilers write a few. */
#define LIFETIMES_MAX 4096
/* As deep as the library goes. */
#define RUST_DEPTH_MAX 1024

/* The rest of a name. References to earlier parts are not followed: those were counted. */
struct parse {
	const char *at;
	const char *end;
	uint64_t lifetimes;
	int depth;
	bool failed;
};

static void skip_path(struct parse *parse);
static void skip_type(struct parse *parse);
static void skip_const(struct parse *parse);

static bool
eat(struct parse *parse, char c)
{
	const bool found = parse->at < parse->end && *parse->at == c;

	parse->at += found;
	return found;
}

static char
next(struct parse *parse)
{
	if (parse->at < parse->end)
		return *parse->at++;
	parse->failed = true;
	return '\0';
}

static int
digit_62(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	if (islower((unsigned char)c))
		return c - 'a' + 10;
	return isupper((unsigned char)c) ? c - 'A' + 36 : -1;
}

/* A number of base 62 and its end: "_" is 0, "0_" is 1. */
static uint64_t
number_62(struct parse *parse)
{
	uint64_t value = 0;

	if (eat(parse, '_'))
		return 0;
	while (!parse->failed && !eat(parse, '_')) {
		const int digit = digit_62(next(parse));

		if (digit < 0 || value > (UINT64_MAX - 62) / 62)
			parse->failed = true;
		else
			value = value * 62 + (uint64_t)digit;
	}
	return value + 1;
}

static void
skip_tagged(struct parse *parse, char tag)
{
	if (eat(parse, tag))
		number_62(parse);
}

static void
skip_binder(struct parse *parse)
{
	if (!eat(parse, 'G'))
		return;
	const uint64_t count = number_62(parse) + 1;

	if (count > LIFETIMES_MAX - parse->lifetimes)
		parse->failed = true;
	else
		parse->lifetimes += count;
}

static void
skip_identifier(struct parse *parse)
{
	size_t len = 0;

	eat(parse, 'u');
	if (parse->at == parse->end || !isdigit((unsigned char)*parse->at)) {
		parse->failed = true;
		return;
	}
	/* A length does not begin with 0. */
	if (!eat(parse, '0'))
		while (parse->at < parse->end && isdigit((unsigned char)*parse->at) &&
			len <= (size_t)(parse->end - parse->at))
			len = len * 10 + (size_t)(*parse->at++ - '0');
	eat(parse, '_');
	if (len > (size_t)(parse->end - parse->at))
		parse->failed = true;
	else
		parse->at += len;
}

static void
skip_argument(struct parse *parse)
{
	if (eat(parse, 'L'))
		number_62(parse);
	else if (eat(parse, 'K'))
		skip_const(parse);
	else
		skip_type(parse);
}

static void
skip_arguments(struct parse *parse)
{
	while (!parse->failed && !eat(parse, 'E'))
		skip_argument(parse);
}

static void
skip_path_kind(struct parse *parse)
{
	const char tag = next(parse);

	switch (tag) {
	case 'C':
		skip_tagged(parse, 's');
		skip_identifier(parse);
		break;
	case 'N':
		next(parse);
		skip_path(parse);
		skip_tagged(parse, 's');
		skip_identifier(parse);
		break;
	case 'M':
	case 'X':
		skip_tagged(parse, 's');
		skip_path(parse);
		skip_type(parse);
		if (tag == 'X')
			skip_path(parse);
		break;
	case 'Y':
		skip_type(parse);
		skip_path(parse);
		break;
	case 'I':
		skip_path(parse);
		skip_arguments(parse);
		break;
	case 'B':
		number_62(parse);
		break;
	default:
		parse->failed = true;
		break;
	}
}

static void
skip_function_type(struct parse *parse)
{
	skip_binder(parse);
	eat(parse, 'U');
	if (eat(parse, 'K') && !eat(parse, 'C'))
		skip_identifier(parse);
	while (!parse->failed && !eat(parse, 'E'))
		skip_type(parse);
	skip_type(parse);
}

static void
skip_dyn_type(struct parse *parse)
{
	skip_binder(parse);
	while (!parse->failed && !eat(parse, 'E')) {
		skip_path(parse);
		while (!parse->failed && eat(parse, 'p')) {
			skip_identifier(parse);
			skip_type(parse);
		}
	}
	if (eat(parse, 'L'))
		number_62(parse);
	else
		parse->failed = true;
}

static void
skip_type_kind(struct parse *parse)
{
	const char tag = next(parse);

	switch (tag) {
	case 'R':
	case 'Q':
		skip_tagged(parse, 'L');
		skip_type(parse);
		break;
	case 'P':
	case 'O':
	case 'S':
		skip_type(parse);
		break;
	case 'A':
		skip_type(parse);
		skip_const(parse);
		break;
	case 'T':
		while (!parse->failed && !eat(parse, 'E'))
			skip_type(parse);
		break;
	case 'F':
		skip_function_type(parse);
		break;
	case 'D':
		skip_dyn_type(parse);
		break;
	case 'B':
		number_62(parse);
		break;
	default:
		/* A letter that stands for a type of the language, or a path. */
		if (islower((unsigned char)tag) || parse->failed)
			break;
		parse->at--;
		skip_path(parse);
		break;
	}
}

static void
skip_const(struct parse *parse)
{
	if (eat(parse, 'B')) {
		number_62(parse);
		return;
	}
	/* Its type, and its value in hexadecimal digits. */
	if (next(parse) == 'p')
		return;
	eat(parse, 'n');
	while (!parse->failed && !eat(parse, '_'))
		if (!isxdigit((unsigned char)next(parse)))
			parse->failed = true;
}

static void
skip_path(struct parse *parse)
{
	if (parse->depth++ < RUST_DEPTH_MAX && !parse->failed)
		skip_path_kind(parse);
	else
		parse->failed = true;
	parse->depth--;
}

static void
skip_type(struct parse *parse)
{
	if (parse->depth++ < RUST_DEPTH_MAX && !parse->failed)
		skip_type_kind(parse);
	else
		parse->failed = true;
	parse->depth--;
}

bool
rust_name_is_bounded(const char *mangled)
{
	struct parse parse = {.at = mangled + strlen("_R")};

	parse.end = parse.at + strcspn(parse.at, ".");
	skip_path(&parse);
	/* The crate that has the copy. */
	if (!parse.failed && parse.at < parse.end)
		skip_path(&parse);
	return !parse.failed;
}
