#include "spec/keys.h"

#include "base/buf.h"
#include "spec/suggest.h"
#include "spec/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_IN_TABLE_MAX 32
#define NAME_BYTES_MAX 100

const struct yaml_node *
keys_find(const struct yaml_node *mapping, const char *name)
{
	if (!mapping || mapping->kind != YAML_MAPPING)
		return NULL;
	for (const struct yaml_node *at = mapping->first; at; at = at->next) {
		if (strcmp(at->key->text, name) == 0)
			return at;
	}
	return NULL;
}

int
keys_refuse(const struct key_reader *reader, const struct yaml_node *node, const char *fmt, ...)
{
	struct location at = yaml_location(reader->file, node);
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set_at(reader->err, &at, "%s", text);
}

const char *
keys_found(const struct key_reader *reader, const struct yaml_node *node)
{
	if (node->kind == YAML_SEQUENCE)
		return node->first ? "found a list" : "found an empty list";
	if (node->kind == YAML_MAPPING)
		return "found a mapping";
	if (yaml_is_null(node))
		return "found nothing";
	if (!node->plain)
		return arena_printf(reader->arena, "found the text \"%.80s\"", node->text);
	return arena_printf(reader->arena, "found '%.80s'", node->text);
}

const char *
keys_text(const struct key_reader *reader, const struct yaml_node *node, const char *expected)
{
	if (node->kind == YAML_SCALAR && !yaml_is_null(node))
		return arena_strdup(reader->arena, node->text);
	keys_refuse(reader, node, "expected %s; %s", expected, keys_found(reader, node));
	if (yaml_is_null(node))
		err_note(reader->err, "put it in quotes if it is a text");
	return NULL;
}

bool
keys_is_name(const char *name)
{
	size_t len =
		strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");

	return len > 0 && len <= NAME_BYTES_MAX && name[len] == '\0' && name[0] != '.' &&
	       name[0] != '-';
}

/* The mapping being read. */
struct mapping {
	const char *what; /* "'capture'" */
	const struct key *keys;
	const char *in; /* of `keys`, those of this section; NULL: those of none */
};

static bool
is_known(const struct key_reader *reader, const struct mapping *mapping, const struct key *key)
{
	bool here = key->in ? mapping->in && strcmp(key->in, mapping->in) == 0 : !mapping->in;

	return here && (key->scopes == 0 || (key->scopes & reader->scope));
}

static const char *
join_names(struct arena *arena, const char *const *names, size_t count)
{
	struct buf text = {0};

	for (size_t i = 0; i < count; i++)
		buf_printf(&text, "%s%s", i > 0 ? ", " : "", names[i]);
	const char *joined = arena_strdup(arena, buf_text(&text));

	buf_release(&text);
	return joined;
}

static int
refuse_unknown(const struct key_reader *reader, const struct yaml_node *entry,
	const struct mapping *mapping)
{
	const char *names[KEYS_IN_TABLE_MAX];
	size_t count = 0;

	for (const struct key *key = mapping->keys; key->name; key++) {
		if (is_known(reader, mapping, key) && count < KEYS_IN_TABLE_MAX)
			names[count++] = key->name;
	}
	const char *name = entry->key->text;
	const char *nearest = suggest_nearest(name, names, count);

	if (nearest)
		keys_refuse(reader, entry->key, "unknown key '%s' in %s; did you mean '%s'?", name,
			mapping->what, nearest);
	else
		keys_refuse(reader, entry->key, "unknown key '%s' in %s", name, mapping->what);
	return err_note(reader->err, "known here: %s", join_names(reader->arena, names, count));
}

static const char *
duration_text(struct arena *arena, double seconds)
{
	if (seconds >= 3600 && fmod(seconds, 3600) == 0)
		return arena_printf(arena, "%.10gh", seconds / 3600);
	if (seconds < 1)
		return arena_printf(arena, "%.10gms", seconds * 1e3);
	return arena_printf(arena, "%.10gs", seconds);
}

/* The value that a key expects, in words, with its range. */
static const char *
expectation(struct arena *arena, const struct key *key)
{
	size_t count = 0;

	switch (key->type) {
	case KEY_COUNT:
		return arena_printf(arena, "a whole number from %.0f to %.0f", key->min, key->max);
	case KEY_FREQUENCY:
		return arena_printf(arena, "a frequency from %.0f to %.0f Hz, such as 4999",
			key->min, key->max);
	case KEY_DURATION:
		return arena_printf(arena, "a duration from %s to %s, such as 60s",
			duration_text(arena, key->min), duration_text(arena, key->max));
	case KEY_PERCENT:
	case KEY_THRESHOLD:
		return arena_printf(arena, "a percentage from %.10g%% to %.10g%%, such as 5%%%s",
			key->min * 100, key->max * 100,
			key->type == KEY_THRESHOLD ? ", or never" : "");
	case KEY_RATIO:
		return arena_printf(arena, "a probability from %.10g to %.10g, such as 0.05",
			key->min, key->max);
	case KEY_COST:
		return "a cost per execution in the metric's unit, such as 2ms of cpu";
	case KEY_BOOL:
		return "true or false";
	case KEY_SECTION:
		return "a mapping of keys";
	case KEY_TEXT:
	case KEY_CHOICE:
	case KEY_CUSTOM:
		break;
	}
	if (!key->choices)
		return "text";
	while (key->choices[count])
		count++;
	return arena_printf(arena, "one of %s", join_names(arena, key->choices, count));
}

static int
refuse_value(const struct key_reader *reader, const struct yaml_node *node, const struct key *key,
	const char *problem)
{
	keys_refuse(reader, node, "'%s' must be %s; %s%s%s", key->name,
		expectation(reader->arena, key), keys_found(reader, node),
		problem ? ", which " : "", problem ? problem : "");
	bool number = key->type != KEY_TEXT && key->type != KEY_CHOICE && key->type != KEY_SECTION;

	if (number && node->kind == YAML_SCALAR && !node->plain && !problem)
		err_note(reader->err, "remove the quotes: they make it a text");
	return -1;
}

static int
read_number(const struct key *key, const char *text, double *value, const char **problem)
{
	enum cost_unit unit;
	unsigned count = 0;
	int result = -1;

	switch (key->type) {
	case KEY_COUNT:
		result = units_count(text, (unsigned)key->min, (unsigned)key->max, &count, problem);
		*value = count;
		break;
	case KEY_FREQUENCY:
		result = units_frequency(text, value, problem);
		break;
	case KEY_DURATION:
		result = units_duration(text, value, problem);
		break;
	case KEY_RATIO:
		if (!strchr(text, '%')) {
			char *end;
			bool digits = strspn(text, "0123456789.") == strlen(text);

			*value = strtod(text, &end);
			result = *end == '\0' && digits ? 0 : -1;
			*problem = "is not a number";
			break;
		}
		result = units_percent(text, value, problem);
		break;
	case KEY_PERCENT:
	case KEY_THRESHOLD:
		result = units_percent(text, value, problem);
		break;
	case KEY_COST:
		result = units_cost(text, value, &unit, problem);
		break;
	case KEY_TEXT:
	case KEY_CHOICE:
	case KEY_BOOL:
	case KEY_SECTION:
	case KEY_CUSTOM:
		break;
	}
	if (result == 0 && (*value < key->min || *value > key->max)) {
		*problem = "is out of range";
		result = -1;
	}
	return result;
}

static int
read_numeric(const struct key_reader *reader, const struct yaml_node *node, const struct key *key,
	void *field)
{
	const char *problem = NULL;
	double value = 0;

	if (node->kind != YAML_SCALAR || yaml_is_null(node))
		return refuse_value(reader, node, key, NULL);
	if (key->type == KEY_THRESHOLD && strcmp(node->text, "never") == 0) {
		*(double *)field = NAN;
		return 0;
	}
	/* "5%" may stand in quotes; a bare number in quotes is a text by YAML's rules. */
	if (!node->plain && key->type == KEY_COUNT)
		return refuse_value(reader, node, key, NULL);
	if (read_number(key, node->text, &value, &problem) < 0)
		return refuse_value(reader, node, key, problem);
	if (key->type == KEY_COUNT)
		*(unsigned *)field = (unsigned)value;
	else
		*(double *)field = value;
	return 0;
}

/* The index of `text` among the choices, -1 if it is none of them. */
static int
choice_index(const struct key *key, const char *text)
{
	for (int i = 0; key->choices[i]; i++) {
		if (strcmp(key->choices[i], text) == 0)
			return i;
	}
	return -1;
}

static int
read_choice(const struct key_reader *reader, const struct yaml_node *node, const struct key *key,
	void *field)
{
	int index = node->kind == YAML_SCALAR ? choice_index(key, node->text) : -1;

	if (index < 0)
		return refuse_value(reader, node, key, NULL);
	/* Enumerations that choices stand for start at 0 and have an int's size in gcc's ABI. */
	memcpy(field, &index, sizeof(index));
	return 0;
}

static int
read_text(const struct key_reader *reader, const struct yaml_node *node, const struct key *key,
	void *field)
{
	if (node->kind != YAML_SCALAR || yaml_is_null(node) || node->text[0] == '\0' ||
		(key->choices && choice_index(key, node->text) < 0))
		return refuse_value(reader, node, key, NULL);
	if (key->valid && !key->valid(node->text))
		return keys_refuse(reader, node, "'%s' must be %s; %s", key->name, key->wants,
			keys_found(reader, node));
	*(const char **)field = arena_strdup(reader->arena, node->text);
	return 0;
}

static int
read_bool(const struct key_reader *reader, const struct yaml_node *node, const struct key *key,
	bool *field)
{
	static const char *const texts[] = {"false", "true", NULL};
	const struct key choice = {.name = key->name, .type = KEY_CHOICE, .choices = texts};
	bool quoted = key->quoted_in & reader->scope;
	bool text = node->kind == YAML_SCALAR && (node->plain || quoted);
	bool yes = text && strcmp(node->text, "true") == 0;

	if (quoted)
		key = &choice;
	if (!yes && !(text && strcmp(node->text, "false") == 0))
		return refuse_value(reader, node, key, NULL);
	*field = yes;
	return 0;
}

static int read_mapping(const struct key_reader *reader, const struct yaml_node *node,
	const struct mapping *mapping, void *into);
static int read_value(const struct key_reader *reader, const struct yaml_node *node,
	const struct key *key, void *field);

/* A percentage in place of a section: that of all its thresholds. 1 if it has none. */
static int
read_thresholds(const struct key_reader *reader, const struct yaml_node *node,
	const struct mapping *outer, const struct key *section, void *into)
{
	int result = 1;

	for (const struct key *key = outer->keys; key->name && result >= 0; key++) {
		struct key named = *key;

		named.name = section->name;
		if (key->type == KEY_THRESHOLD && key->in && strcmp(key->in, section->name) == 0)
			result = read_value(reader, node, &named, (char *)into + key->offset);
	}
	return result;
}

/* `into` is what the table fills that `key` stands in. */
static int
read_section(const struct key_reader *reader, const struct yaml_node *node,
	const struct mapping *outer, const struct key *key, void *into)
{
	struct key_reader inside = *reader;
	void *field = (char *)into + key->offset;
	const struct mapping mapping = {
		.what = arena_printf(reader->arena, "'%s'", key->name),
		.keys = key->section ? key->section : outer->keys,
		.in = key->section ? NULL : key->name,
	};

	if (node->kind == YAML_SCALAR && !yaml_is_null(node) && !key->section) {
		int result = read_thresholds(reader, node, outer, key, into);

		if (result <= 0)
			return result;
	}
	if (node->kind != YAML_MAPPING)
		return refuse_value(reader, node, key, NULL);
	if (key->section_scope)
		inside.scope = key->section_scope;
	if (read_mapping(&inside, node, &mapping, key->section ? field : into) < 0)
		return -1;
	return key->read ? key->read(reader, node, field) : 0;
}

static int
read_value(const struct key_reader *reader, const struct yaml_node *node, const struct key *key,
	void *field)
{
	switch (key->type) {
	case KEY_TEXT:
		return read_text(reader, node, key, field);
	case KEY_CHOICE:
		return read_choice(reader, node, key, field);
	case KEY_COUNT:
	case KEY_FREQUENCY:
	case KEY_DURATION:
	case KEY_PERCENT:
	case KEY_THRESHOLD:
	case KEY_RATIO:
	case KEY_COST:
		return read_numeric(reader, node, key, field);
	case KEY_BOOL:
		return read_bool(reader, node, key, field);
	case KEY_CUSTOM:
		return key->read(reader, node, field);
	case KEY_SECTION:
		break;
	}
	return -1;
}

static int
read_mapping(const struct key_reader *reader, const struct yaml_node *node,
	const struct mapping *mapping, void *into)
{
	for (const struct yaml_node *entry = node->first; entry; entry = entry->next) {
		const struct key *key = mapping->keys;

		while (key->name && (strcmp(key->name, entry->key->text) != 0 ||
					    !is_known(reader, mapping, key)))
			key++;
		if (!key->name)
			return refuse_unknown(reader, entry, mapping);
		int result = key->type == KEY_SECTION
				     ? read_section(reader, entry, mapping, key, into)
				     : read_value(reader, entry, key, (char *)into + key->offset);

		if (result < 0)
			return -1;
	}
	return 0;
}

int
keys_read(const struct key_reader *reader, const struct yaml_node *node, const char *what,
	const struct key *keys, void *into)
{
	const struct mapping mapping = {.what = what, .keys = keys};

	if (node->kind != YAML_MAPPING)
		return keys_refuse(reader, node, "%s must be a mapping of keys ('key: value'); %s",
			what, keys_found(reader, node));
	return read_mapping(reader, node, &mapping, into);
}

void
keys_defaults(const struct key *keys, size_t column, void *into)
{
	struct err err = {0};
	const struct key_reader reader = {.err = &err};

	for (; keys->name; keys++) {
		const char *text = keys->defaults[column];
		const struct yaml_node node = {.kind = YAML_SCALAR, .plain = true, .text = text};
		void *field = (char *)into + keys->offset;

		if (text && keys->type == KEY_TEXT)
			*(const char **)field = text;
		else if (text)
			read_value(&reader, &node, keys, field);
	}
}
