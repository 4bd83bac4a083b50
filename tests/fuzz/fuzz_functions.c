/*
 * Source text: any bytes are read as that of Go and of languages with braces. A function begins in
 * the text and does not end before it begins; so does a definition.
 */
#include "builds/source_definitions.h"
#include "builds/source_scan.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Definitions stand in the text, in order. */
static void
check_definitions(const char *text, size_t len, uint32_t nlines, bool go)
{
	struct source_definitions found;
	struct arena arena = {0};

	source_definitions_read(&found, text, len, go, &arena);
	for (size_t i = 0; i < found.count; i++) {
		const struct source_definition *definition = &found.all[i];

		if (definition->first < 1 || definition->last < definition->first ||
			definition->last > nlines || definition->end < definition->begin ||
			definition->end > len)
			abort();
	}
	for (uint32_t line = 1; line <= nlines && line < 64; line++)
		source_definitions_at(&found, text, len, line);
	source_definitions_release(&found);
	arena_release(&arena);
}

/* Each line is also taken for the name of a function. */
static void
check_names(const char *text, size_t len)
{
	struct buf line = {0};
	struct buf name = {0};

	for (const char *at = text, *end = text + len; at < end; at += line.len + 1) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		buf_clear(&line);
		buf_put(&line, at, (size_t)((stop ? stop : end) - at));
		go_function_name(buf_text(&line), &name);
		if (name.len > line.len)
			abort();
	}
	buf_release(&line);
	buf_release(&name);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = size > 0 ? (const char *)data : "";
	struct go_functions found;
	struct arena arena = {0};
	uint32_t nlines = 1;

	for (size_t i = 0; i < size; i++)
		nlines += data[i] == '\n';
	for (uint32_t line = 1; line <= nlines && line < 64; line++) {
		const uint32_t last = function_end(text, size, line);

		if (last < line || last > nlines)
			abort();
	}
	go_functions_read(&found, text, size, &arena);
	for (size_t i = 0; i < found.count; i++)
		if (found.functions[i].first < 1 ||
			found.functions[i].last < found.functions[i].first ||
			found.functions[i].last > nlines)
			abort();
	go_functions_release(&found);
	arena_release(&arena);
	check_definitions(text, size, nlines, false);
	check_definitions(text, size, nlines, true);
	check_names(text, size);
	return 0;
}
