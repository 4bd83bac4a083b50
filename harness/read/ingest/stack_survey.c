#include "ingest/stack_survey.h"

#include "base/file.h"
#include "base/mem.h"
#include "ingest/call_chain.h"

#include <stdlib.h>
#include <string.h>

/* Frame pointers are enough where at most this part of the stacks differs with them. */
#define MOST_DIFFERENT 0.02
/* A copy is long enough where at most this part of the stacks would be truncated. */
#define MOST_CUT 0.001
#define BYTES_MIN 4096
#define BYTES_MAX 65528 /* a record's size is a 16-bit number */
/* Frames at the outer end of a stack that belong to the C library: _start and what it calls. */
#define START_FRAMES 3
/* Modules named in the explanation, and the part of the steps that one has to have. */
#define MODULES_SHOWN 3
#define STEPS_SHOWN 0.01
/* A module keeps frame pointers where at most this part of the steps in it differs. */
#define MODULE_DIFFERENT 0.01

void
stack_survey_release(struct stack_survey *survey)
{
	for (size_t i = 0; i < survey->nmodules; i++)
		free(survey->modules[i].path);
	free(survey->modules);
	*survey = (struct stack_survey){0};
}

/*
 * Whether the kernel's frame-pointer chain has the same callers. The outermost frames are the C
 * library's, which starts main() and threads and rarely keeps frame pointers: they need not match.
 */
static bool
is_alike(const struct record_sample *sample, const struct unwind_sample *unwound)
{
	size_t i = 0;

	for (size_t k = call_chain_kernel_words(sample) + 1;
		k < sample->nchain && i < unwound->nframes; k++, i++)
		if (sample->chain[k] != unwound->frames[i].address)
			break;
	return i > 0 && i + START_FRAMES >= unwound->nframes;
}

void
stack_survey_add(struct stack_survey *survey, const struct record_sample *sample,
	const struct unwind_sample *unwound)
{
	uint64_t kib = (unwound->reached_bytes + 1023) / 1024;

	survey->stacks++;
	survey->truncated += unwound->end == UNWIND_TRUNCATED;
	if (unwound->end != UNWIND_ROOT)
		return;
	survey->complete++;
	survey->reached[kib < 64 ? kib : 64]++;
	survey->alike += is_alike(sample, unwound);
}

static int
compare_modules(const void *a, const void *b)
{
	const struct survey_module *one = a;
	const struct survey_module *other = b;

	if (one->steps != other->steps)
		return one->steps < other->steps ? 1 : -1;
	return strcmp(one->path, other->path);
}

void
stack_survey_add_module(
	struct stack_survey *survey, const char *path, uint64_t steps, uint64_t alike)
{
	survey->modules = mem_grow(survey->modules, &survey->modules_capacity, survey->nmodules + 1,
		sizeof(*survey->modules));
	survey->modules[survey->nmodules++] =
		(struct survey_module){.path = mem_strdup(path), .steps = steps, .alike = alike};
	qsort(survey->modules, survey->nmodules, sizeof(*survey->modules), compare_modules);
}

bool
stack_survey_trusts_frame_pointers(const struct stack_survey *survey)
{
	return survey->stacks > 0 &&
	       (double)survey->alike >= (1 - MOST_DIFFERENT) * (double)survey->stacks;
}

uint32_t
stack_survey_bytes(const struct stack_survey *survey)
{
	double left = (double)survey->complete;
	size_t kib = 0;
	uint32_t bytes = BYTES_MIN;

	if (survey->complete == 0 || survey->truncated > 0)
		return BYTES_MAX;
	while (kib < 64 && left > MOST_CUT * (double)survey->complete)
		left -= (double)survey->reached[kib++];
	/* Half as much again: a later run may go deeper. */
	while (bytes < kib * 1024 * 3 / 2 && bytes < BYTES_MAX)
		bytes *= 2;
	return bytes < BYTES_MAX ? bytes : BYTES_MAX;
}

/* Names the modules that keep frame pointers (or do not), up to a few. Returns how many there are.
 */
static size_t
put_modules(const struct stack_survey *survey, bool keeping, double all_steps, struct buf *out)
{
	size_t found = 0;

	for (size_t i = 0; i < survey->nmodules; i++) {
		const struct survey_module *module = &survey->modules[i];
		double steps = (double)module->steps;
		bool keeps = steps - (double)module->alike <= MODULE_DIFFERENT * steps;

		if (keeps != keeping || steps < STEPS_SHOWN * all_steps)
			continue;
		if (++found > MODULES_SHOWN)
			continue;
		buf_printf(out, "%s%s", found > 1 ? ", " : "", file_basename(module->path));
		if (!keeping)
			buf_printf(out, " (%.0f %% of its calls)",
				100 * (1 - (double)module->alike / steps));
	}
	if (found > MODULES_SHOWN)
		buf_printf(out, " and %zu more", found - MODULES_SHOWN);
	return found;
}

void
stack_survey_explain(const struct stack_survey *survey, struct buf *out)
{
	struct buf names = {0};
	double steps = 0;

	for (size_t i = 0; i < survey->nmodules; i++)
		steps += (double)survey->modules[i].steps;
	if (survey->stacks == 0) {
		buf_puts(out, "no stack of the program was sampled");
		return;
	}
	size_t lacking = put_modules(survey, false, steps, &names);

	if (lacking > 0)
		buf_printf(out, "no frame pointers in %s", buf_text(&names));
	buf_clear(&names);
	if (put_modules(survey, true, steps, &names) > 0)
		buf_printf(out, "%s in %s", lacking > 0 ? "; kept" : "frame pointers kept",
			buf_text(&names));
	buf_release(&names);
	buf_printf(out, "; %.1f %% of the stacks are the same with both",
		100 * (double)survey->alike / (double)survey->stacks);
}
