#include "profile/variant_names.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

bool
variant_names_next(const char **lines, struct variant_line *line)
{
	const char *end = strchr(*lines, '\n');
	const char *mark =
		end ? memmem(*lines, (size_t)(end - *lines), VARIANT_OF, strlen(VARIANT_OF)) : NULL;

	if (!mark)
		return false;
	const char *function = mark + strlen(VARIANT_OF);

	*line = (struct variant_line){.name = *lines,
		.name_len = (size_t)(mark - *lines),
		.function = function,
		.function_len = (size_t)(end - function)};
	*lines = end + 1;
	return true;
}

void
variant_names_add(struct variant_names *variants, const struct profile *profile)
{
	const char *lines = strtab_str(&profile->strings, profile->variants);
	size_t capacity = variants->names.nentries;
	struct variant_line line;

	while (variant_names_next(&lines, &line)) {
		const size_t n = variants->names.nentries;

		if (text_map_find(&variants->names, line.name, line.name_len))
			continue;
		text_map_add(&variants->names, line.name, line.name_len, (uint32_t)n);
		variants->functions = mem_grow(
			variants->functions, &capacity, n + 1, sizeof(*variants->functions));
		variants->functions[n] =
			arena_dup(&variants->names.arena, line.function, line.function_len);
	}
}

void
variant_names_release(struct variant_names *variants)
{
	text_map_release(&variants->names);
	free(variants->functions);
	*variants = (struct variant_names){0};
}

const char *
variant_names_find(const struct variant_names *variants, const char *name, size_t len)
{
	const struct text_entry *entry =
		variants->names.nentries > 0 ? text_map_find(&variants->names, name, len) : NULL;

	return entry ? variants->functions[entry->value] : NULL;
}

void
variant_names_put(const struct variant_names *variants, struct buf *lines)
{
	for (size_t i = 0; i < variants->names.nentries; i++) {
		const struct text_entry *entry = variants->names.entries[i];

		buf_put(lines, entry->text, entry->len);
		buf_printf(lines, VARIANT_OF "%s\n", variants->functions[i]);
	}
}
