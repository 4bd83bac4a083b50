#include "dwarf/inlines.h"

#include "base/mem.h"
#include "dwarf/die.h"
#include "dwarf/die_names.h"
#include "dwarf/die_scan.h"
#include "dwarf/source_lines.h"
#include "elf/debug_file.h"

#include <dwarf.h>
#include <stdlib.h>
#include <sys/stat.h>

/* What was inlined into one function. */
struct code_function {
	uint32_t die;  /* in its unit */
	uint32_t name; /* of die_names; 0: not looked for */
	bool tried;
	struct scan_site *sites; /* the arena's */
	struct span_index index; /* of `sites` */
};

/* The code of one unit. */
struct code_unit {
	struct code_function *functions; /* the arena's */
	struct span_index index;         /* of `functions` */
	struct source_lines lines;       /* its rows only */
};

struct inlines {
	struct elf_image image;
	struct elf_image shared_image;
	struct stat seen;       /* `image`, when it was opened */
	struct debug_data own;  /* of `image`; not where the data is the caller's */
	struct debug_data also; /* of `shared_image`, likewise */
	struct debug_data *data;
	struct debug_units units;
	struct debug_units shared_units;
	struct arena arena;
	struct span_index index;       /* of `units` */
	struct code_unit **code_units; /* owned array; by unit, on first use */
	struct die_names names;
};

/* Reads which code each unit has. */
static void
read_units(struct inlines *inlines)
{
	struct span_list spans = {0};

	debug_units_read(&inlines->units, inlines->data);
	if (inlines->data->alt)
		debug_units_read(&inlines->shared_units, inlines->data->alt);
	for (size_t i = 0; i < inlines->units.count; i++)
		debug_unit_open(&inlines->units.units[i], &spans, (uint32_t)i);
	span_index_build(&inlines->index, &spans, &inlines->arena);
	span_list_release(&spans);
	inlines->code_units = mem_zalloc(inlines->units.count + 1, sizeof(struct code_unit *));
	die_names_init(&inlines->names, &inlines->units, &inlines->shared_units);
}

static struct inlines *
make(void)
{
	struct inlines *inlines = mem_zalloc(1, sizeof(*inlines));

	inlines->image.fd = -1;
	inlines->shared_image.fd = -1;
	arena_init(&inlines->arena);
	return inlines;
}

struct inlines *
inlines_new(struct debug_data *data)
{
	struct inlines *inlines = make();

	inlines->data = data;
	read_units(inlines);
	return inlines;
}

struct inlines *
inlines_open(struct elf_image *image)
{
	struct debug_data data;

	if (!debug_data_read(&data, image)) {
		elf_image_close(image);
		return NULL;
	}
	struct inlines *inlines = make();

	inlines->image = *image;
	*image = (struct elf_image){.fd = -1};
	inlines->own = data;
	inlines->data = &inlines->own;
	if (inlines->image.fd >= 0)
		fstat(inlines->image.fd, &inlines->seen);
	if (debug_file_open_alt(&inlines->shared_image, &inlines->image) &&
		debug_data_read(&inlines->also, &inlines->shared_image))
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
		if (inlines->code_units[i])
			source_lines_release(&inlines->code_units[i]->lines);
	free((void *)inlines->code_units);
	die_names_release(&inlines->names);
	debug_units_release(&inlines->units);
	debug_units_release(&inlines->shared_units);
	arena_release(&inlines->arena);
	elf_image_close(&inlines->shared_image);
	elf_image_close(&inlines->image);
	free(inlines);
}

/* A file that is written to while it is mapped could end before what we look at. */
static bool
is_unchanged(const struct inlines *inlines)
{
	struct stat now;

	return inlines->image.fd < 0 ||
	       (fstat(inlines->image.fd, &now) == 0 && now.st_size == inlines->seen.st_size &&
		       now.st_mtim.tv_sec == inlines->seen.st_mtim.tv_sec &&
		       now.st_mtim.tv_nsec == inlines->seen.st_mtim.tv_nsec);
}

static struct code_unit *
code_unit_of(struct inlines *inlines, uint32_t number)
{
	struct debug_unit *unit = &inlines->units.units[number];
	struct code_unit *code = inlines->code_units[number];
	struct scan_functions found = {0};

	if (code)
		return code;
	code = arena_alloc(&inlines->arena, sizeof(*code));
	inlines->code_units[number] = code;
	source_lines_read_rows(&code->lines, unit, &inlines->arena);
	if (debug_unit_use(unit) && die_scan_functions(unit, &found)) {
		code->functions =
			arena_alloc(&inlines->arena, found.count * sizeof(*code->functions));
		for (size_t i = 0; i < found.count; i++)
			code->functions[i].die = found.functions[i].die;
		span_index_build(&code->index, &found.spans, &inlines->arena);
	}
	scan_functions_release(&found);
	return code;
}

static void
read_sites(struct inlines *inlines, struct debug_unit *unit, struct code_function *function)
{
	struct scan_sites found;

	function->tried = true;
	if (die_scan_sites(unit, function->die, &found) && found.count > 0) {
		size_t bytes = found.count * sizeof(*function->sites);

		function->sites = arena_alloc(&inlines->arena, bytes);
		memcpy(function->sites, found.sites, bytes);
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

/* The name of an inlined call: of the function it refers to, which many calls do. */
static uint32_t
site_name(struct inlines *inlines, const struct debug_unit *unit, const struct scan_site *site)
{
	uint64_t offset = unit->offset + site->die;
	int file = NAMES_OWN;
	struct die_value value;
	struct die die;

	bool opened = die_open(&die, unit, offset);

	while (opened && die_next(&die, &value)) {
		if (value.attr != DW_AT_abstract_origin ||
			(value.class != DIE_REFERENCE && value.class != DIE_SHARED_REF))
			continue;
		file = value.class == DIE_SHARED_REF ? NAMES_SHARED : NAMES_OWN;
		offset = value.number;
		break;
	}
	return die_names_find(&inlines->names, file, offset);
}

size_t
inlines_find(struct inlines *inlines, uint64_t address, struct inline_frame *frames, size_t max)
{
	uint32_t number = span_index_find(&inlines->index, address);

	if (number == SPAN_NONE || !is_unchanged(inlines))
		return 0;
	struct debug_unit *unit = &inlines->units.units[number];
	struct code_unit *code = code_unit_of(inlines, number);
	uint32_t at_line = source_lines_find(&code->lines, address);
	uint32_t item = span_index_find(&code->index, address);

	if (item == SPAN_NONE) {
		frames[0] = (struct inline_frame){.at_line = at_line};
		return at_line ? 1 : 0;
	}
	struct code_function *function = &code->functions[item];

	if (!function->tried)
		read_sites(inlines, unit, function);

	uint32_t innermost = span_index_find(&function->index, address);
	size_t depth = 1;
	size_t count = 0;

	for (uint32_t at = innermost; at != SITE_NONE; at = function->sites[at].parent)
		depth++;
	for (uint32_t at = innermost; at != SITE_NONE; at = function->sites[at].parent) {
		struct scan_site *site = &function->sites[at];

		if (site->name == 0)
			site->name = site_name(inlines, unit, site);
		if (depth-- <= max)
			frames[count++] = frame_of(inlines, site->name, at_line);
		at_line = site->call_line;
	}
	if (function->name == 0)
		function->name =
			die_names_find(&inlines->names, NAMES_OWN, unit->offset + function->die);
	frames[count++] = frame_of(inlines, function->name, at_line);
	return count;
}
