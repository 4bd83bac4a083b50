#include "commands/annotate.h"

#include "analysis/annotation.h"
#include "base/log.h"
#include "base/mem.h"
#include "code/code_align.h"
#include "code/disassembler.h"
#include "code/image.h"
#include "code/listing.h"

#include <stdlib.h>
#include <sys/stat.h>

/* A request to list the instructions of one side. */
struct listing_request {
	struct annotate_code *code;
	const struct line_weights *weights;
	const char *root;
	bool is_before; /* it is the side before, whose instructions are not shown: nothing is
			   reported */
};

static void
take_listing(struct annotate_code *code, uint32_t module)
{
	const struct code_listing *listing = &code->listings[module];

	for (size_t i = 0; i < listing->count; i++) {
		const struct code_instruction *from = &listing->instructions[i];

		code->instructions = mem_grow(code->instructions, &code->capacity, code->count + 1,
			sizeof(*code->instructions));
		code->instructions[code->count++] = (struct annotation_instruction){
			.module = module,
			.bytes = from->bytes,
			.offset = from->offset,
			.address = from->address,
			.function = code_listing_function(listing, from),
			.text = code_listing_text(listing, from),
			.same = UINT32_MAX,
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
list_module(const struct listing_request *request, uint32_t module, const struct code_image *image)
{
	const char *path = line_weights_module(request->weights, module);
	struct disassembler *disassembler = disassembler_open(image->machine);
	size_t unknown = 0;
	size_t count;

	if (!disassembler) {
		if (!request->is_before)
			log_warn(
				"%s: no instructions are shown: libcapstone is not installed, or does not know its machine",
				path);
		return;
	}
	uint64_t *offsets = offsets_in(request->weights, module, &count);

	for (size_t i = 0; i < count; i++)
		unknown += !code_listing_add(
			&request->code->listings[module], image, disassembler, offsets[i]);
	free(offsets);
	if (unknown > 0 && !request->is_before)
		log_warn(
			"%s: %zu of the function's addresses are in code that has no symbol or is not understood",
			path, unknown);
	disassembler_close(disassembler);
}

static void
list_all(const struct listing_request *request)
{
	struct annotate_code *code = request->code;

	code->nlistings = request->weights->by_module.count;
	code->listings = mem_zalloc(code->nlistings + 1, sizeof(*code->listings));
	for (uint32_t i = 0; i < code->nlistings; i++) {
		char *path = mem_printf("%s%s", request->root ? request->root : "",
			line_weights_module(request->weights, i));
		struct code_image image;
		struct err err = {0};

		if (code_image_open(&image, path, &err) == 0) {
			list_module(request, i, &image);
			take_listing(code, i);
			code_image_close(&image);
		} else if (!request->is_before) {
			log_warn("no instructions are shown: %s", err.text);
		}
		free(path);
	}
}

/* The instructions as code_align() takes them; free() them. */
static struct aligned_instruction *
aligned_of(const struct annotate_code *code)
{
	struct aligned_instruction *all = mem_zalloc(code->count + 1, sizeof(*all));

	for (size_t i = 0; i < code->count; i++)
		all[i] = (struct aligned_instruction){
			code->instructions[i].function, code->instructions[i].text};
	return all;
}

/* Finds, for each instruction of the side before, the same one on the side after. */
static void
match(struct annotate_code *before, const struct annotate_code *after)
{
	struct aligned_instruction *from = aligned_of(before);
	struct aligned_instruction *into = aligned_of(after);
	uint32_t *same = code_align(from, before->count, into, after->count);

	for (size_t i = 0; i < before->count; i++)
		before->instructions[i].same = same[i];
	free(same);
	free(into);
	free(from);
}

/* The time when the newest of the files with the function's code was written; 0: not known. */
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
	const size_t nsides = request->nsides;

	*result = (struct annotate_result){
		.annotation =
			{
				.sides = {request->sides[0], request->sides[1]},
				.nsides = nsides,
				.listing = request->listing,
				.most_lines = request->most_lines,
			},
	};
	for (size_t i = nsides; i-- > 0;) {
		/* Without instructions on the side after, those before are not needed. */
		if (i + 1 < nsides && result->code[nsides - 1].count == 0)
			continue;
		list_all(&(struct listing_request){
			.code = &result->code[i],
			.weights = request->sides[i].weights,
			.root = request->root,
			.is_before = i + 1 < nsides,
		});
	}
	if (nsides == 2)
		match(&result->code[0], &result->code[1]);
	for (size_t i = 0; i < nsides; i++) {
		result->annotation.code[i] = (struct annotation_code){
			result->code[i].instructions, result->code[i].count};
		result->annotation.sides[i].sources.built_s =
			find_built(request->sides[i].weights, request->root);
	}
	annotation_rows_init(&result->rows, &result->annotation);
}

static void
release_code(struct annotate_code *code)
{
	for (size_t i = 0; i < code->nlistings; i++)
		code_listing_release(&code->listings[i]);
	free(code->listings);
	free(code->instructions);
}

void
annotate_result_release(struct annotate_result *result)
{
	annotation_rows_release(&result->rows);
	for (size_t i = 0; i < 2; i++)
		release_code(&result->code[i]);
}

void
annotate_function(const struct annotate_request *request, struct buf *out)
{
	struct annotate_result result;

	annotate_rows(request, &result);
	annotation_write(&result.rows, out);
	annotate_result_release(&result);
}
