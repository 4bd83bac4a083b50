#include "gate/screen.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

bool
screen_leaves(const struct finding *finding)
{
	return finding->unconfirmed || (finding_is_open(finding) && finding->effect.tested);
}

void
screen_take(struct screen *screen, const struct verdict *verdict, struct arena *arena)
{
	*screen = (struct screen){
		.subjects = arena_alloc(arena, verdict->nall * sizeof(*screen->subjects)),
	};
	for (size_t i = 0; i < verdict->nall; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (screen_leaves(finding))
			screen->subjects[screen->nsubjects++] = (struct screen_subject){
				.rule = finding->rule,
				.of = finding->of,
				.name = arena_strdup(arena, finding->subject),
			};
	}
}

static int
by_subject(const void *a, const void *b)
{
	const struct screen_subject *one = a;
	const struct screen_subject *other = b;

	if (one->rule != other->rule)
		return one->rule < other->rule ? -1 : 1;
	if (one->of != other->of)
		return one->of < other->of ? -1 : 1;
	return strcmp(one->name, other->name);
}

/* The subject that a test is about, as its finding names it; NULL: it is none of these. */
static struct screen_subject *
subject_of(const struct profile *profile, const struct test *test, struct screen_subject *subjects,
	size_t nsubjects)
{
	struct screen_subject key = {.rule = test->rule, .of = test->of, .name = test->subject};
	struct screen_subject *found = NULL;
	struct buf name = {0};

	if (test->frame != 0) {
		profile_put_frame(profile, test->frame, &name);
		key.name = buf_text(&name);
	}
	if (key.name)
		found = bsearch(&key, subjects, nsubjects, sizeof(key), by_subject);
	buf_release(&name);
	return found;
}

void
screen_mark(const struct screen *screen, const struct profile *profile, struct test *tests,
	size_t ntests)
{
	const size_t n = screen->nsubjects;
	size_t nmissing = n;

	if (n == 0)
		return;
	struct screen_subject *subjects = mem_zalloc(n, sizeof(*subjects));
	bool *found = mem_zalloc(n, sizeof(*found));

	memcpy(subjects, screen->subjects, n * sizeof(*subjects));
	qsort(subjects, n, sizeof(*subjects), by_subject);
	for (size_t i = 0; i < ntests; i++) {
		struct test *test = &tests[i];
		const struct screen_subject *subject = subject_of(profile, test, subjects, n);

		test->screened = !subject;
		if (!subject || found[subject - subjects])
			continue;
		found[subject - subjects] = true;
		nmissing--;
	}
	for (size_t i = 0; nmissing > 0 && i < ntests; i++)
		tests[i].screened = false;
	free(found);
	free(subjects);
}
