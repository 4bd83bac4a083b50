#include "analysis/traits.h"

#include "analysis/data.h"
#include "analysis/sentences.h"
#include "base/mem.h"
#include "format/figures.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_INDENT 5

/* In the order in which equal shares are shown. A new trait is added here. */
static void (*const traits[])(struct advices *) = {
	trait_interpreter,
	trait_script,
	trait_bottleneck,
	trait_subtree,
	trait_unknown,
	trait_flat,
	trait_incomplete,
	trait_kernel,
	trait_waits,
	trait_faults,
	trait_locks,
	trait_allocation,
	trait_utility,
	trait_start,
	trait_processes,
	trait_few,
};

struct advice *
advice_add(struct advices *advices, double share)
{
	advices->items = mem_grow(
		advices->items, &advices->capacity, advices->nitems + 1, sizeof(*advices->items));
	struct advice *advice = &advices->items[advices->nitems++];

	*advice = (struct advice){.share = share};
	return advice;
}

/* Stable: there are few. */
static void
sort_advices(struct advices *advices)
{
	for (size_t i = 1; i < advices->nitems; i++) {
		struct advice one = advices->items[i];
		size_t at = i;

		for (; at > 0 && advices->items[at - 1].share < one.share; at--)
			advices->items[at] = advices->items[at - 1];
		advices->items[at] = one;
	}
}

static void
put_advice(struct buf *out, const struct analysis_options *options, size_t number,
	const struct advice *advice)
{
	size_t columns = analysis_columns(options);
	struct buf lines = {0};

	buf_printf(out, "  %zu. ", number);
	analysis_wrap(&lines, buf_text(&advice->title), TEXT_INDENT, columns, false);
	/* A style ends with its line. */
	for (const char *at = buf_text(&lines); *at;) {
		size_t len = strcspn(at, "\n");
		char *line = mem_dup(at, len);

		analysis_put_styled(out, options, STYLE_NAME, line);
		buf_putc(out, '\n');
		free(line);
		at += len + (at[len] == '\n');
	}
	for (const char *at = buf_text(&advice->text); *at;) {
		size_t len = strcspn(at, "\n");
		char *line = mem_dup(at, len);

		analysis_pad(out, TEXT_INDENT);
		analysis_wrap(out, line, TEXT_INDENT, columns, false);
		free(line);
		at += len + (at[len] == '\n');
	}
	buf_release(&lines);
}

static void
put_nothing(
	const struct analysis_data *data, const struct analysis_options *options, struct buf *out)
{
	struct buf text = {0};

	buf_puts(&text, "Nothing stands out: the largest function, ");
	analysis_put_function(&text, data->profile, data->ranked[0].frame);
	buf_puts(&text, ", has ");
	analysis_put_share(&text, data, data->ranked[0].self);
	buf_printf(&text, " of the %s", weights_noun(data->profile));
	analysis_pad(out, 2);
	analysis_wrap(out, buf_text(&text), 2, analysis_columns(options), false);
	buf_release(&text);
}

void
advice_write(
	const struct analysis_data *data, const struct analysis_options *options, struct buf *out)
{
	unsigned *classes = function_classes(data->profile);
	struct advices advices = {.data = data, .options = options, .classes = classes};

	if (data->nranked > 0) {
		for (size_t i = 0; i < sizeof(traits) / sizeof(traits[0]); i++)
			traits[i](&advices);
		sort_advices(&advices);
		buf_putc(out, '\n');
		analysis_put_styled(out, options, STYLE_HEADING, "What stands out");
		buf_putc(out, '\n');
		for (size_t i = 0; i < advices.nitems && i < ADVICE_SHOWN; i++)
			put_advice(out, options, i + 1, &advices.items[i]);
		if (advices.nitems == 0)
			put_nothing(data, options, out);
	}
	for (size_t i = 0; i < advices.nitems; i++) {
		buf_release(&advices.items[i].title);
		buf_release(&advices.items[i].text);
	}
	free(advices.items);
	free(classes);
}
