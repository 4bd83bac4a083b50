#include "output/explanation_parts.h"

#include "base/mem.h"

#include <stdarg.h>
#include <string.h>

void
explanation_add(struct explanation *explanation, enum explanation_part part, const char *text)
{
	struct explanation_section *section = &explanation->sections[part];

	if (!text || !text[0])
		return;
	section->lines = mem_grow(
		(void *)section->lines, &section->capacity, section->nlines + 1, sizeof(char *));
	section->lines[section->nlines++] = arena_strdup(&explanation->arena, text);
}

void
explanation_addf(struct explanation *explanation, enum explanation_part part, const char *fmt, ...)
{
	struct buf text = {0};
	va_list args;

	va_start(args, fmt);
	buf_vprintf(&text, fmt, args);
	va_end(args);
	explanation_add(explanation, part, buf_text(&text));
	buf_release(&text);
}

void
explanation_add_lines(struct explanation *explanation, enum explanation_part part,
	const char *indent, const char *text)
{
	while (*text) {
		const int len = (int)strcspn(text, "\n");

		explanation_addf(explanation, part, "%s%.*s", indent, len, text);
		text += len + (text[len] == '\n');
	}
}

const struct effect *
explanation_effect(const struct explanation *explanation)
{
	return &explanation->finding->judged->effect;
}
