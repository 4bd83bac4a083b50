#include "dwarf/inlines.h"

#include "base/mem.h"
#include "base/search.h"
#include "dwarf/debug_data.h"
#include "dwarf/debug_unit.h"
#include "dwarf/dwarf_internal.h"
#include "dwarf/span_index.h"
#include "dwarf/split_units.h"
#include "elf/debug_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The code of one unit. */
struct code_unit {
	struct debug_unit *unit;         /* which has the entries */
	struct scan_functions functions; /* without spans */
	struct span_index index;         /* of `functions` */
	struct source_lines lines;       /* its rows only */
};

struct inlines {
	struct elf_image image;
	struct elf_image shared_image;
	bool looked;            /* the file was checked, for the current address */
	bool changed;           /* the file was written to since it was opened */
	struct debug_data own;  /* of `image`; not where the data is the caller's */
	struct debug_data also; /* of `shared_image`, likewise */
	struct debug_data *data;
	struct debug_units units;
	struct debug_units shared_units;
	struct arena arena;
	struct span_index index;       /* of `units` */
	struct code_unit **code_units; /* owned array; by unit, on first use */
	struct source_scratch scratch;
	struct die_names names;
	struct split_units split;
};

/* Takes the code of the functions of a unit that does not say itself where its code is. */
static void
add_functions(struct debug_unit *unit, struct span_list *spans, uint32_t item)
{
	struct scan_functions found = {0};

	if (debug_unit_use(unit) && die_scan_unit(unit, &found, NULL))
		for (size_t i = 0; i < found.spans.count; i++)
			span_list_add(
				spans, found.spans.spans[i].low, found.spans.spans[i].high, item);
	scan_functions_release(&found);
}

/* Reads which code each unit has. */
static void
read_units(struct inlines *inlines)
{
	struct span_list spans = {0};

	debug_units_read(&inlines->units, inlines->data);
	if (inlines->data->alt) {
		debug_units_read(&inlines->shared_units, inlines->data->alt);
		inlines->units.shared = &inlines->shared_units;
	}
	for (size_t i = 0; i < inlines->units.count; i++) {
		struct debug_unit *unit = &inlines->units.units[i];

		if (debug_unit_open(unit, &spans, (uint32_t)i) && unit->code_lost)
			add_functions(unit, &spans, (uint32_t)i);
	}
	span_index_build(&inlines->index, &spans, &inlines->arena);
	span_list_release(&spans);
	inlines->code_units = mem_zalloc(inlines->units.count + 1, sizeof(struct code_unit *));
	die_names_init(&inlines->names);
}

static struct inlines *
make(void)
{
	struct inlines *inlines = mem_zalloc(1, sizeof(*inlines));

	inlines->image.fd = -1;
	inlines->shared_image.fd = -1;
	return inlines;
}

struct inlines *
inlines_new(struct debug_data *data, struct debug_data *split)
{
	struct inlines *inlines = make();

	split_units_init(&inlines->split, NULL, "", split);
	inlines->data = data;
	read_units(inlines);
	return inlines;
}

struct inlines *
inlines_open(struct elf_image *image, const char *program, const char *root)
{
	struct debug_data data;

	if (!debug_data_read(&data, image, false)) {
		elf_image_close(image);
		return NULL;
	}
	struct inlines *inlines = make();

	split_units_init(&inlines->split, program, root, NULL);
	inlines->image = *image;
	*image = (struct elf_image){.fd = -1};
	inlines->own = data;
	inlines->data = &inlines->own;
	if (debug_file_open_alt(&inlines->shared_image, &inlines->image) &&
		debug_data_read(&inlines->also, &inlines->shared_image, false))
		inlines->own.alt = &inlines->also;
	read_units(inlines);
	return inlines;
}

void
inlines_close(struct inlines *inlines)
{
	if (!inlines)
		return;
	for (size_t i = 0; i < inlines->units.count; i++)
		if (inlines->code_units[i]) {
			source_lines_release(&inlines->code_units[i]->lines);
			scan_functions_release(&inlines->code_units[i]->functions);
		}
	free((void *)inlines->code_units);
	free(inlines->scratch.rows);
	die_names_release(&inlines->names);
	split_units_release(&inlines->split);
	debug_units_release(&inlines->units);
	debug_units_release(&inlines->shared_units);
	arena_release(&inlines->arena);
	elf_image_close(&inlines->shared_image);
	elf_image_close(&inlines->image);
	free(inlines);
}

/* A mapped file that is written to could end before the bytes that we read. */
static bool
has_changed(struct inlines *inlines)
{
	if (!inlines->looked)
		inlines->changed = elf_image_has_changed(&inlines->image) ||
				   elf_image_has_changed(&inlines->split.image);
	inlines->looked = true;
	return inlines->changed;
}

/* Finds where the functions of a unit are. */
static void
read_functions(struct inlines *inlines, struct debug_unit *unit, struct code_unit *code)
{
	if (!debug_unit_use(unit) ||
		!die_scan_unit(unit, &code->functions, die_names_scopes(&inlines->names, unit)))
		return;
	span_index_build(&code->index, &code->functions.spans, &inlines->arena);
	span_list_release(&code->functions.spans);
}

static struct code_unit *
code_unit_of(struct inlines *inlines, uint32_t number)
{
	struct debug_unit *unit = &inlines->units.units[number];
	struct code_unit *code = inlines->code_units[number];

	if (code || has_changed(inlines))
		return code;
	code = arena_alloc(&inlines->arena, sizeof(*code));
	inlines->code_units[number] = code;
	source_lines_read_rows(&code->lines, unit, &inlines->scratch, &inlines->arena);
	code->unit =
		unit->dwo_name && unit->has_dwo_id ? split_units_find(&inlines->split, unit) : NULL;
	/* Some compilers leave in the skeleton what was inlined. */
	if (!code->unit)
		code->unit = unit;
	read_functions(inlines, code->unit, code);
	return code;
}

static void
read_sites(struct inlines *inlines, struct debug_unit *unit, struct scan_function *function)
{
	struct scan_sites found;

	function->tried = true;
	if (die_scan_sites(unit, function->die, &found) && found.count > 0) {
		size_t bytes = found.count * sizeof(*function->sites);

		function->sites = arena_alloc(&inlines->arena, bytes);
		memcpy(function->sites, found.sites, bytes);
		function->nsites = (uint32_t)found.count;
		span_index_build(&function->index, &found.spans, &inlines->arena);
	}
	scan_sites_release(&found);
}

static struct inline_frame
frame_of(const struct inlines *inlines, uint32_t number, uint32_t at_line)
{
	const struct die_name *name = die_names_get(&inlines->names, number);

	return (struct inline_frame){name->name, name->file, name->line, at_line};
}

/* The name of an inlined call: that of the function it refers to, which many calls share. */
static uint32_t
site_name(struct inlines *inlines, const struct debug_unit *unit, const struct scan_site *site)
{
	return die_names_find(
		&inlines->names, site->shared ? unit->of->shared : unit->of, site->origin);
}

/* Reads what the frames from the site at `innermost` on need of `function`. */
static void
read_names(struct inlines *inlines, const struct debug_unit *unit, struct scan_function *function,
	uint32_t innermost)
{
	for (uint32_t at = innermost; at != SITE_NONE; at = function->sites[at].parent) {
		struct scan_site *site = &function->sites[at];

		if (site->name == 0 && !has_changed(inlines))
			site->name = site_name(inlines, unit, site);
	}
	if (function->name == 0 && !has_changed(inlines))
		function->name =
			die_names_find(&inlines->names, unit->of, unit->offset + function->die);
}

static struct code_unit *
unit_at(struct inlines *inlines, uint64_t address)
{
	const uint32_t number = span_index_find(&inlines->index, address);

	inlines->looked = false;
	return number != SPAN_NONE ? code_unit_of(inlines, number) : NULL;
}

/* With what is inlined into it. NULL: the code is of no function. */
static struct scan_function *
function_at(struct inlines *inlines, const struct code_unit *code, uint64_t address)
{
	const uint32_t item = span_index_find(&code->index, address);
	struct scan_function *function =
		item != SPAN_NONE ? &code->functions.functions[item] : NULL;

	if (function && !function->tried && !has_changed(inlines))
		read_sites(inlines, code->unit, function);
	return function;
}

size_t
inlines_within(struct inlines *inlines, uint64_t address, struct inline_frame *frames, size_t max)
{
	struct code_unit *code = unit_at(inlines, address);
	struct scan_function *function = code ? function_at(inlines, code, address) : NULL;
	size_t count = 0;

	for (uint32_t i = 0; function && i < function->nsites && count < max; i++) {
		read_names(inlines, code->unit, function, i);
		frames[count++] = frame_of(inlines, function->sites[i].name, 0);
	}
	return inlines->changed ? 0 : count;
}

size_t
inlines_find(struct inlines *inlines, uint64_t address, struct inline_frame *frames, size_t max)
{
	struct code_unit *code = unit_at(inlines, address);

	if (!code)
		return 0;
	struct debug_unit *unit = code->unit;
	uint32_t at_line = source_lines_find(&code->lines, address);
	struct scan_function *function = function_at(inlines, code, address);

	if (!function) {
		frames[0] = (struct inline_frame){.at_line = at_line};
		return at_line ? 1 : 0;
	}
	uint32_t innermost = span_index_find(&function->index, address);
	size_t depth = 1;
	size_t count = 0;

	read_names(inlines, unit, function, innermost);
	if (inlines->changed)
		return 0;
	for (uint32_t at = innermost; at != SITE_NONE; at = function->sites[at].parent)
		depth++;
	for (uint32_t at = innermost; at != SITE_NONE; at = function->sites[at].parent) {
		const struct scan_site *site = &function->sites[at];

		if (depth-- <= max)
			frames[count++] = frame_of(inlines, site->name, at_line);
		at_line = site->call_line;
	}
	frames[count] = frame_of(inlines, function->name, at_line);
	/* Go's has a file alone: its first code is that of its declaration. */
	if (frames[count].file && frames[count].line == 0)
		frames[count].line =
			source_lines_find(&code->lines, span_index_start(&code->index, address));
	return count + 1;
}

size_t
inlines_missing(const struct inlines *inlines, const char **first)
{
	*first = inlines->split.first_missing;
	return inlines->split.nmissing;
}
