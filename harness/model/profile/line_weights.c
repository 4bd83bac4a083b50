#include "profile/line_weights.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

void
line_weights_init(struct line_weights *weights, const char *function)
{
	*weights = (struct line_weights){.function = function};
	strtab_init(&weights->strings);
}

void
line_weights_release(struct line_weights *weights)
{
	strtab_release(&weights->strings);
	free(weights->lines);
	free(weights->codes);
	key_map_release(&weights->by_line);
	key_map_release(&weights->by_module);
	key_map_release(&weights->by_start);
	map_release(&weights->by_code);
	*weights = (struct line_weights){0};
}

void
line_weights_begin(struct line_weights *weights, double weight)
{
	weights->stack++;
	weights->whole += weight;
}

void
line_weights_scale(struct line_weights *weights, double factor)
{
	for (size_t i = 0; i < weights->nlines; i++) {
		weights->lines[i].self *= factor;
		weights->lines[i].total *= factor;
	}
	for (size_t i = 0; i < weights->ncodes; i++) {
		weights->codes[i].self *= factor;
		weights->codes[i].total *= factor;
	}
	weights->self *= factor;
	weights->total *= factor;
	weights->whole *= factor;
}

static uint32_t
line_of(struct line_weights *weights, const struct line_place *place)
{
	const str_id file = place->file ? strtab_intern_str(&weights->strings, place->file) : 0;
	const uint32_t index = key_map_add(&weights->by_line, key_of_pair(file, place->line));

	if (index == weights->nlines) {
		weights->lines = mem_grow(weights->lines, &weights->lines_capacity,
			weights->nlines + 1, sizeof(*weights->lines));
		weights->lines[weights->nlines++] =
			(struct line_weight){.file = file, .line = place->line};
	}
	return index;
}

static uint32_t
code_of(struct line_weights *weights, const struct line_place *place, uint32_t line)
{
	const str_id path = strtab_intern_str(&weights->strings, place->module);
	const uint32_t module = key_map_add(&weights->by_module, path);
	const uint32_t start = key_map_add(&weights->by_start, key_of_pair(module, line));
	const uint64_t hash = hash_u64(place->offset ^ hash_u64(start));

	for (struct map_search search = map_search(&weights->by_code, hash); map_next(&search);) {
		const struct code_weight *code = &weights->codes[search.id];

		if (code->offset == place->offset && code->module == module && code->line == line)
			return search.id;
	}
	map_add(&weights->by_code, hash, (uint32_t)weights->ncodes);
	weights->codes = mem_grow(weights->codes, &weights->codes_capacity, weights->ncodes + 1,
		sizeof(*weights->codes));
	weights->codes[weights->ncodes] =
		(struct code_weight){.offset = place->offset, .line = line, .module = module};
	return (uint32_t)weights->ncodes++;
}

/* Counts a stack once. */
static double
once(uint32_t *last, uint32_t stack, double weight)
{
	if (*last == stack)
		return 0;
	*last = stack;
	return weight;
}

void
line_weights_add(
	struct line_weights *weights, const struct line_place *place, double weight, bool leaf)
{
	const double self = leaf ? weight : 0;
	const uint32_t index = line_of(weights, place);
	struct line_weight *line = &weights->lines[index];

	line->self += self;
	line->total += once(&line->last, weights->stack, weight);
	weights->self += self;
	weights->total += once(&weights->last, weights->stack, weight);
	if (!place->module)
		return;
	const uint32_t at = code_of(weights, place, index);
	struct code_weight *code = &weights->codes[at];

	code->self += self;
	code->total += once(&code->last, weights->stack, weight);
}

const char *
line_weights_module(const struct line_weights *weights, uint32_t module)
{
	return strtab_str(&weights->strings, (str_id)weights->by_module.keys[module]);
}

const char *
line_weights_file(const struct line_weights *weights, str_id file)
{
	return file ? strtab_str(&weights->strings, file) : NULL;
}
