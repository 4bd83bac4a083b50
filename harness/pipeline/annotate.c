#include "pipeline/annotate.h"

#include "analysis/annotation_text.h"
#include "base/log.h"
#include "base/mem.h"
#include "code/disassembler.h"
#include "code/image.h"
#include "code/listing.h"

#include <stdlib.h>
#include <sys/stat.h>

/* The instructions of all files of a function's code. */
struct instructions {
	struct annotation_instruction *items;
	size_t count;
	size_t capacity;
	struct code_listing *listings; /* of each file; the texts are theirs */
};

static void
take_listing(struct instructions *all, const struct code_listing *listing, uint32_t module)
{
	for (size_t i = 0; i < listing->count; i++) {
		const struct code_instruction *from = &listing->instructions[i];

		all->items =
			mem_grow(all->items, &all->capacity, all->count + 1, sizeof(*all->items));
		all->items[all->count++] = (struct annotation_instruction){
			.module = module,
			.bytes = from->bytes,
			.offset = from->offset,
			.address = from->address,
			.text = code_listing_text(listing, from),
		};
	}
}

static int
compare_offsets(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a;
	const uint64_t other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* The sampled offsets in one file, in order; free() them. */
static uint64_t *
offsets_in(const struct line_weights *weights, uint32_t module, size_t *count)
{
	uint64_t *offsets = mem_zalloc(weights->ncodes + 1, sizeof(*offsets));

	*count = 0;
	for (size_t i = 0; i < weights->ncodes; i++)
		if (weights->codes[i].module == module)
			offsets[(*count)++] = weights->codes[i].offset;
	qsort(offsets, *count, sizeof(*offsets), compare_offsets);
	return offsets;
}

/* Lists the function's code in one file. */
static void
list_module(struct code_listing *listing, const struct line_weights *weights, uint32_t module,
	const struct code_image *image)
{
	const char *path = line_weights_module(weights, module);
	struct disassembler *disassembler = disassembler_open(image->machine);
	size_t unknown = 0;
	size_t count;

	if (!disassembler) {
		log_warn(
			"%s: no instructions are shown: libcapstone is not installed, or does not know its machine",
			path);
		return;
	}
	uint64_t *offsets = offsets_in(weights, module, &count);

	for (size_t i = 0; i < count; i++)
		unknown += !code_listing_add(listing, image, disassembler, offsets[i]);
	free(offsets);
	if (unknown > 0)
		log_warn(
			"%s: %zu of the function's addresses are in code that has no symbol or is not understood",
			path, unknown);
	disassembler_close(disassembler);
}

static void
list_all(struct instructions *all, const struct line_weights *weights, const char *root)
{
	const size_t nmodules = weights->by_module.count;

	all->listings = mem_zalloc(nmodules + 1, sizeof(*all->listings));
	for (uint32_t i = 0; i < nmodules; i++) {
		char *path = mem_printf("%s%s", root ? root : "", line_weights_module(weights, i));
		struct code_image image;
		struct err err = {0};

		if (code_image_open(&image, path, &err) == 0) {
			list_module(&all->listings[i], weights, i, &image);
			take_listing(all, &all->listings[i], i);
			code_image_close(&image);
		} else {
			log_warn("no instructions are shown: %s", err.text);
		}
		free(path);
	}
}

/* When the last of the programs that have the function's code was written; 0: not known. */
static int64_t
find_built(const struct line_weights *weights, const char *root)
{
	int64_t built_s = 0;

	for (uint32_t i = 0; i < weights->by_module.count; i++) {
		char *path = mem_printf("%s%s", root ? root : "", line_weights_module(weights, i));
		struct stat st;

		if (stat(path, &st) == 0 && st.st_mtim.tv_sec > built_s)
			built_s = st.st_mtim.tv_sec;
		free(path);
	}
	return built_s;
}

void
annotate_rows(const struct annotate_request *request, struct annotate_result *result)
{
	const struct line_weights *weights = request->sides[request->nsides - 1].weights;
	struct instructions all = {0};

	list_all(&all, weights, request->root);
	*result = (struct annotate_result){
		.annotation =
			{
				.sides = {request->sides[0], request->sides[1]},
				.nsides = request->nsides,
				.instructions = all.items,
				.ninstructions = all.count,
				.listing = request->listing,
				.most_lines = request->most_lines,
			},
		.instructions = all.items,
		.listings = all.listings,
		.nlistings = weights->by_module.count,
	};
	for (size_t i = 0; i < request->nsides; i++)
		result->annotation.sides[i].built_s =
			find_built(request->sides[i].weights, request->root);
	annotation_rows_init(&result->rows, &result->annotation);
}

void
annotate_result_release(struct annotate_result *result)
{
	annotation_rows_release(&result->rows);
	for (size_t i = 0; i < result->nlistings; i++)
		code_listing_release(&result->listings[i]);
	free(result->listings);
	free(result->instructions);
}

void
annotate_function(const struct annotate_request *request, struct buf *out)
{
	struct annotate_result result;

	annotate_rows(request, &result);
	annotation_write(&result.rows, out);
	annotate_result_release(&result);
}
