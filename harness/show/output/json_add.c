#include "output/json_add.h"

#include "base/escape.h"
#include "base/mem.h"
#include "base/number.h"
#include "format/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A double holds every whole number below it. */
#define WHOLE_MAX 9007199254740992.0

void
json_add_string(cJSON *object, const char *key, const char *text)
{
	struct buf safe = {0};

	if (!text || !*text) {
		cJSON_AddNullToObject(object, key);
		return;
	}
	while (*text) {
		size_t line = strcspn(text, "\n");

		escape_utf8(&safe, text, line);
		text += line;
		if (*text == '\n')
			buf_putc(&safe, *text++);
	}
	cJSON_AddStringToObject(object, key, buf_text(&safe));
	buf_release(&safe);
}

cJSON *
json_add_object(cJSON *object, const char *key, bool known)
{
	struct buf safe = {0};
	cJSON *added = NULL;

	escape_utf8(&safe, key, strlen(key));
	if (known)
		added = cJSON_AddObjectToObject(object, buf_text(&safe));
	else
		cJSON_AddNullToObject(object, buf_text(&safe));
	buf_release(&safe);
	return added;
}

cJSON *
json_add_item(cJSON *array)
{
	cJSON *item = cJSON_CreateObject();

	cJSON_AddItemToArray(array, item);
	return item;
}

/* With nine digits, as histories have: a reader needs no more, and all 17 are half of a file. */
static double
rounded(double value)
{
	char text[NUMBER_BYTES];

	if (value == rint(value) && fabs(value) < WHOLE_MAX)
		return value;
	number_short(text, value, NUMBER_DIGITS_MAX);
	return strtod(text, NULL);
}

void
json_add_number(cJSON *object, const char *key, double value)
{
	if (isfinite(value))
		cJSON_AddNumberToObject(object, key, rounded(value));
	else
		cJSON_AddNullToObject(object, key);
}

void
json_add_time(cJSON *object, const char *key, int64_t seconds)
{
	struct buf text = {0};

	if (seconds != 0)
		format_time(&text, seconds);
	json_add_string(object, key, buf_text(&text));
	buf_release(&text);
}

void
json_add_effect(cJSON *object, const char *key, const struct effect *effect)
{
	cJSON *to = json_add_object(object, key, effect != NULL);

	if (!to)
		return;
	json_add_number(to, "before_cost", effect->before_cost);
	json_add_number(to, "after_cost", effect->after_cost);
	json_add_number(to, "before_share", effect->before_share);
	json_add_number(to, "after_share", effect->after_share);
	json_add_number(to, "before_weight", effect->before_weight);
	json_add_number(to, "after_weight", effect->after_weight);
	cJSON_AddBoolToObject(to, "tested", effect->tested);
	cJSON_AddBoolToObject(to, "relative", effect->relative);
	json_add_number(to, "change", effect->change);
	json_add_number(to, "low", effect->low);
	json_add_number(to, "high", effect->high);
	json_add_number(to, "p", effect->p);
	json_add_number(to, "p_adjusted", effect->p_adjusted);
	json_add_number(to, "detectable", effect->detectable);
	json_add_number(to, "overdispersion", effect->overdispersion);
	json_add_number(to, "standard_error", effect->standard_error);
	json_add_number(to, "df", effect->df);
	json_add_number(to, "spread", effect->spread);
}

void
json_add_frame(cJSON *object, const char *key, const struct profile *profile, frame_id frame)
{
	struct buf name = {0};

	if (frame != 0)
		profile_put_frame(profile, frame, &name);
	json_add_string(object, key, buf_text(&name));
	buf_release(&name);
}

void
json_add_plan(cJSON *object, const char *key, const struct plan *plan)
{
	cJSON *to = json_add_object(object, key, plan && plan->kind != PLAN_NONE);

	if (!to || !plan)
		return;
	json_add_string(to, "kind", plan_kind_key(plan->kind));
	json_add_string(to, "reason", plan->reason);
	json_add_string(to, "commit", plan->commit);
	json_add_string(to, "machine_class", plan->machine_class);
	json_add_number(to, "seconds", plan->seconds);
	json_add_number(to, "count_seconds", plan->count_seconds > 0 ? plan->count_seconds : NAN);
	json_add_number(to, "count_limit_s", plan->count_limit_s > 0 ? plan->count_limit_s : NAN);
	cJSON *remedies = cJSON_AddArrayToObject(to, "remedies");

	for (size_t i = 0; i < PLAN_REMEDIES && plan->remedies[i]; i++)
		cJSON_AddItemToArray(remedies, cJSON_CreateString(plan->remedies[i]));
}

void
json_finish(cJSON *root, struct buf *out)
{
	char *text = cJSON_Print(root);

	buf_puts(out, text ? text : "");
	buf_putc(out, '\n');
	cJSON_free(text);
	cJSON_Delete(root);
}

static void *
allocate(size_t bytes)
{
	return mem_resize(NULL, bytes > 0 ? bytes : 1);
}

void
json_memory_use(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate, .free_fn = free});
}
