/*
 * Reads the tables of a pprof file: texts, types of values, functions, locations and mappings.
 */
#include "base/mem.h"
#include "ingest/pprof_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Inlined functions at one address: more are cut off, as those of programs are. */
#define LINES_MAX 32

struct pprof_text
pprof_text(const struct pprof_tables *tables, uint64_t n)
{
	return n < tables->ntexts ? tables->texts[n] : (struct pprof_text){"", 0};
}

bool
pprof_text_is(const struct pprof_tables *tables, uint64_t n, const char *text)
{
	struct pprof_text found = pprof_text(tables, n);

	return found.len == strlen(text) && memcmp(found.at, text, found.len) == 0;
}

static void
add_text(struct pprof_tables *tables, struct wire bytes)
{
	const char *at = (const char *)bytes.at;

	tables->texts = mem_grow(
		tables->texts, &tables->texts_capacity, tables->ntexts + 1, sizeof(*tables->texts));
	tables->texts[tables->ntexts++] = (struct pprof_text){at, strnlen(at, wire_left(&bytes))};
}

static struct pprof_type
read_type(struct wire *bytes)
{
	struct pprof_type type = {0};
	struct wire_field field;

	while (wire_next(bytes, &field)) {
		if (field.number == PPROF_TYPE_NAME)
			type.name = field.value;
		else if (field.number == PPROF_TYPE_UNIT)
			type.unit = field.value;
	}
	return type;
}

static void
add_type(struct pprof_tables *tables, struct wire *bytes)
{
	tables->types = mem_grow(
		tables->types, &tables->types_capacity, tables->ntypes + 1, sizeof(*tables->types));
	tables->types[tables->ntypes++] = read_type(bytes);
}

static void
add_function(struct pprof_tables *tables, struct wire *bytes)
{
	struct pprof_function function = {0};
	struct wire_field field;
	uint64_t id = 0;

	while (wire_next(bytes, &field)) {
		if (field.number == PPROF_FUNCTION_ID)
			id = field.value;
		else if (field.number == PPROF_FUNCTION_NAME)
			function.name = field.value;
		else if (field.number == PPROF_FUNCTION_FILE)
			function.file = field.value;
		else if (field.number == PPROF_FUNCTION_START_LINE && field.value <= UINT32_MAX)
			function.line = (uint32_t)field.value;
	}
	const uint32_t number = key_map_add(&tables->function_ids, id);

	tables->functions = mem_grow(tables->functions, &tables->functions_capacity,
		tables->function_ids.count, sizeof(*tables->functions));
	tables->functions[number] = function;
}

static void
add_line(struct pprof_tables *tables, struct wire *bytes)
{
	struct wire_field field;
	struct pprof_line line = {0};

	while (wire_next(bytes, &field)) {
		if (field.number == PPROF_LINE_FUNCTION)
			line.function = field.value;
		else if (field.number == PPROF_LINE_NUMBER && field.value <= UINT32_MAX)
			line.line = (uint32_t)field.value;
	}
	bytes->failed |= !allowance_take(&tables->memory, sizeof(*tables->lines));
	tables->lines = mem_grow(
		tables->lines, &tables->lines_capacity, tables->nlines + 1, sizeof(*tables->lines));
	tables->lines[tables->nlines++] = line;
}

static void
add_location(struct pprof_tables *tables, struct wire *bytes)
{
	struct pprof_location location = {.first_line = tables->nlines};
	struct wire_field field;
	uint64_t id = 0;

	while (wire_next(bytes, &field)) {
		if (field.number == PPROF_LOCATION_ID)
			id = field.value;
		else if (field.number == PPROF_LOCATION_MAPPING)
			location.mapping = field.value;
		else if (field.number == PPROF_LOCATION_LINE) {
			add_line(tables, &field.bytes);
			bytes->failed = bytes->failed || field.bytes.failed;
		}
	}
	location.nlines = tables->nlines - location.first_line;
	/* The innermost ones are first. */
	if (location.nlines > LINES_MAX) {
		location.first_line = tables->nlines - LINES_MAX;
		location.nlines = LINES_MAX;
	}
	const uint32_t number = key_map_add(&tables->location_ids, id);

	tables->locations = mem_grow(tables->locations, &tables->locations_capacity,
		tables->location_ids.count, sizeof(*tables->locations));
	tables->locations[number] = location;
}

static void
add_mapping(struct pprof_tables *tables, struct wire *bytes)
{
	struct pprof_mapping mapping = {0};
	struct wire_field field;
	uint64_t id = 0;

	while (wire_next(bytes, &field)) {
		if (field.number == PPROF_MAPPING_ID)
			id = field.value;
		else if (field.number == PPROF_MAPPING_FILE)
			mapping.file = field.value;
		else if (field.number == PPROF_MAPPING_BUILD_ID)
			mapping.build_id = field.value;
	}
	const uint32_t number = key_map_add(&tables->mapping_ids, id);

	tables->mappings = mem_grow(tables->mappings, &tables->mappings_capacity,
		tables->mapping_ids.count, sizeof(*tables->mappings));
	tables->mappings[number] = mapping;
}

static void
take_number(struct pprof_tables *tables, const struct wire_field *field)
{
	if (field->number == PPROF_TIME_NS)
		tables->time_ns = field->value;
	else if (field->number == PPROF_DURATION_NS)
		tables->duration_ns = field->value;
	else if (field->number == PPROF_PERIOD)
		tables->period = field->value;
	else if (field->number == PPROF_DEFAULT_TYPE)
		tables->default_type = field->value;
	else if (field->number == PPROF_COMMENT)
		*(tables->comment == 0 ? &tables->comment : &tables->comment2) = field->value;
}

static void
take_bytes(struct pprof_tables *tables, struct wire_field *field)
{
	switch (field->number) {
	case PPROF_SAMPLE_TYPE:
		add_type(tables, &field->bytes);
		break;
	case PPROF_MAPPING:
		add_mapping(tables, &field->bytes);
		break;
	case PPROF_LOCATION:
		add_location(tables, &field->bytes);
		break;
	case PPROF_FUNCTION:
		add_function(tables, &field->bytes);
		break;
	case PPROF_STRING:
		add_text(tables, field->bytes);
		break;
	case PPROF_COMMENT:
		if (tables->comment == 0 && !wire_number(&field->bytes, &tables->comment))
			tables->comment = 0;
		break;
	case PPROF_PERIOD_TYPE:
		tables->period_type = read_type(&field->bytes);
		break;
	default:
		break;
	}
}

static int
refuse_pprof(const char *path, const char *what, uint64_t number, struct err *err)
{
	return err_set(err, ERR_INPUT,
		"%s: is damaged: %s %" PRIu64 ", which the file does not have", path, what, number);
}

/* Whether the names of types and functions are there. */
static int
check_names(const struct pprof_tables *tables, const char *path, struct err *err)
{
	for (size_t i = 0; i < tables->ntypes; i++)
		if (tables->types[i].name > 0 && tables->types[i].name >= tables->ntexts)
			return refuse_pprof(
				path, "the name of a type is text", tables->types[i].name, err);
	for (size_t i = 0; i < tables->function_ids.count; i++)
		if (tables->functions[i].name > 0 && tables->functions[i].name >= tables->ntexts)
			return refuse_pprof(path, "the name of a function is text",
				tables->functions[i].name, err);
	return 0;
}

/* The bytes of an entry of any table: itself and its place in a map. */
#define ENTRY_BYTES 64
#define MEMORY_MIN ((uint64_t)32 << 20)
#define MEMORY_RATIO 32

int
pprof_tables_read(struct pprof_tables *tables, const char *path, const struct wire *file,
	size_t stored, struct err *err)
{
	struct wire wire = *file;
	struct wire_field field = {.bytes = {.failed = false}};
	size_t at = 0;

	*tables = (struct pprof_tables){.memory = allowance_of(MEMORY_MIN, stored, MEMORY_RATIO)};
	while (!field.bytes.failed && wire_next(&wire, &field)) {
		if (field.type == WIRE_BYTES && field.number != PPROF_SAMPLE &&
			!allowance_take(&tables->memory, ENTRY_BYTES))
			return err_set(err, ERR_INPUT,
				"%s: has more entries than a profile of its size", path);
		if (field.type == WIRE_BYTES)
			take_bytes(tables, &field);
		else if (field.type == WIRE_NUMBER)
			take_number(tables, &field);
		if (!field.bytes.failed)
			at = wire_left(file) - wire_left(&wire);
	}
	if (!wire.failed && !field.bytes.failed)
		return check_names(tables, path, err);
	return err_set(err, ERR_INPUT,
		"%s: is cut or damaged: the field at byte %zu of the expanded profile is not whole",
		path, at);
}

void
pprof_tables_release(struct pprof_tables *tables)
{
	free(tables->texts);
	free(tables->types);
	free(tables->functions);
	free(tables->locations);
	free(tables->lines);
	free(tables->mappings);
	key_map_release(&tables->function_ids);
	key_map_release(&tables->location_ids);
	key_map_release(&tables->mapping_ids);
}
