#include "output/cause_json.h"

#include "base/escape.h"
#include "format/place.h"
#include "output/cause_text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

/* JSON has no NaN and no infinity. */
static void
add_number(cJSON *object, const char *key, double value)
{
	if (isfinite(value))
		cJSON_AddNumberToObject(object, key, value);
	else
		cJSON_AddNullToObject(object, key);
}

static cJSON *
new_string(const char *text)
{
	struct buf safe;

	buf_init(&safe);
	escape_utf8(&safe, text, strlen(text));
	cJSON *string = cJSON_CreateString(buf_text(&safe));

	buf_release(&safe);
	return string;
}

static cJSON *
new_frame(const struct comparison *comparison, frame_id frame)
{
	struct buf name;

	if (frame == 0)
		return cJSON_CreateNull();
	buf_init(&name);
	profile_put_frame(&comparison->profile, frame, &name);
	cJSON *string = new_string(buf_text(&name));

	buf_release(&name);
	return string;
}

static void
add_stacks(cJSON *object, const struct comparison *comparison, const struct causes *causes)
{
	cJSON *stacks = cJSON_AddArrayToObject(object, "stacks");

	for (size_t i = 0; i < causes->nstacks; i++) {
		const struct cause_stack *stack = &causes->stacks[i];
		cJSON *to = cJSON_CreateObject();
		cJSON *frames = cJSON_AddArrayToObject(to, "frames");

		for (size_t k = 0; k < stack->nframes; k++)
			cJSON_AddItemToArray(frames, new_frame(comparison, stack->frames[k]));
		add_number(to, "before_cost", stack->before_cost);
		add_number(to, "after_cost", stack->after_cost);
		cJSON_AddItemToArray(stacks, to);
	}
}

static void
add_neighbours(cJSON *object, const char *key, const struct comparison *comparison,
	const struct cause_neighbour *neighbours, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(object, key);

	for (size_t i = 0; i < count; i++) {
		cJSON *to = cJSON_CreateObject();

		cJSON_AddItemToObject(to, "name", new_frame(comparison, neighbours[i].frame));
		add_number(to, "before_cost", neighbours[i].before_cost);
		add_number(to, "after_cost", neighbours[i].after_cost);
		cJSON_AddItemToArray(array, to);
	}
}

static void
add_moved(cJSON *object, const struct comparison *comparison, const struct causes *causes,
	cause_json_effect *add_effect)
{
	struct buf place;

	if (causes->moved == DOMAIN_NONE) {
		cJSON_AddNullToObject(object, "moved");
		return;
	}
	cJSON *to = cJSON_AddObjectToObject(object, "moved");

	buf_init(&place);
	if (causes->moved == DOMAIN_FILE)
		place_put_path(&place, causes->domain);
	else
		buf_puts(&place, causes->domain);
	cJSON_AddStringToObject(to, "within", cause_domain_name(causes->moved));
	cJSON_AddItemToObject(to, "name", new_string(buf_text(&place)));
	cJSON_AddItemToObject(to, "from", new_frame(comparison, causes->from));
	cJSON_AddBoolToObject(to, "from_is_gone", causes->from_gone);
	add_effect(to, "effect", &causes->domain_effect);
	add_number(to, "most_growth", causes->domain_most);
	buf_release(&place);
}

static void
add_instructions(cJSON *object, const struct causes *causes)
{
	if (!isfinite(causes_more_work(causes))) {
		cJSON_AddNullToObject(object, "instructions");
		return;
	}
	cJSON *to = cJSON_AddObjectToObject(object, "instructions");

	add_number(to, "before", causes->instructions_before);
	add_number(to, "after", causes->instructions_after);
}

void
cause_json_add(cJSON *object, const char *key, const struct comparison *comparison,
	const struct causes *causes, cause_json_effect *add_effect)
{
	if (!causes) {
		cJSON_AddNullToObject(object, key);
		return;
	}
	cJSON *to = cJSON_AddObjectToObject(object, key);

	add_number(to, "growth", causes->growth);
	add_stacks(to, comparison, causes);
	add_neighbours(to, "callers", comparison, causes->callers, causes->ncallers);
	add_neighbours(to, "callees", comparison, causes->callees, causes->ncallees);
	add_moved(to, comparison, causes, add_effect);
	cJSON_AddStringToObject(to, "code", cause_code_name(causes->code));
	cJSON_AddBoolToObject(to, "unreachable", causes->unreachable);
	add_instructions(to, causes);
}
