#include "gate/code_changes.h"

#include "base/mem.h"
#include "gate/module_pairs.h"
#include "measurement/measurement.h"
#include "profile/canonical.h"

#include <stdlib.h>
#include <string.h>

/* The vDSO, as frames have it. */
#define MODULE_VDSO "[vdso]"

/* The file that a function of the comparison is in. */
struct place {
	struct module_pair *pair; /* NULL: none, or the vDSO */
	bool vdso;
	bool lost; /* in a file without a partner, or in several files */
};

struct places {
	const struct profile *profile; /* of the comparison */
	frame_id *by_name;             /* by name: the function that is not inlined; 0: none */
	struct place *by_frame;
	struct variant_names variants; /* of both sides */
	struct buf name;
};

static void
places_init(struct places *places, const struct profile *profile)
{
	*places = (struct places){
		.profile = profile,
		.by_name = mem_zalloc(profile->strings.nentries + 1, sizeof(*places->by_name)),
		.by_frame = mem_zalloc(profile->frames.nframes, sizeof(*places->by_frame)),
	};
	variant_names_add(&places->variants, profile);
	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		if (profile->frames.frames[id].kind == FRAME_USER)
			places->by_name[profile->frames.frames[id].name] = id;
	}
}

static void
places_release(struct places *places)
{
	variant_names_release(&places->variants);
	buf_release(&places->name);
	free(places->by_name);
	free(places->by_frame);
}

/* The place of the function that has this name in a side's profile; NULL: none is compared. */
static struct place *
find_place(struct places *places, const char *name, size_t len)
{
	const struct strtab *strings = &places->profile->strings;

	const char *function = variant_names_find(&places->variants, name, len);

	canonical_name(name, len, &places->name);
	if (!function)
		function = buf_text(&places->name);
	frame_id id = places->by_name[strtab_find(strings, function, strlen(function))];

	return id ? &places->by_frame[id] : NULL;
}

/* Finds the files of the functions in one side's profile. */
static void
place_side(struct places *places, struct module_pairs *pairs, enum measure_side side)
{
	const struct profile *profile = &pairs->sides[side].profile;
	struct module_pair **found = module_pairs_of_side(pairs, side);

	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const struct frame *frame = &profile->frames.frames[id];

		if (frame->kind != FRAME_USER || frame->module == 0)
			continue;
		struct place *place = find_place(places, strtab_str(&profile->strings, frame->name),
			strtab_len(&profile->strings, frame->name));
		struct module_pair *pair = found[frame->module];

		if (!place)
			continue;
		if (strcmp(strtab_str(&profile->strings, frame->module), MODULE_VDSO) == 0)
			place->vdso = true;
		else if (!pair || (place->pair && place->pair != pair))
			place->lost = true;
		else
			place->pair = pair;
	}
	free(found);
}

/*
 * Finds the files of functions that the candidate has no samples of: stored stacks do not name
 * files, so each is in the file whose stored code has its name.
 */
static void
place_stored(struct places *places, const struct module_pairs *pairs)
{
	const struct profile *profile = places->profile;

	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		struct place *place = &places->by_frame[id];

		if (profile->frames.frames[id].kind != FRAME_USER || place->pair || place->vdso ||
			place->lost)
			continue;
		for (size_t i = 0; i < pairs->npairs && !place->pair; i++) {
			struct module_pair *pair = pairs->pairs[i];

			if (pair->stored &&
				code_list_known(pair->stored, profile_frame_name(profile, id))
					.found)
				place->pair = pair;
		}
	}
}

/* How the function of that name changed in one pair of files. */
static enum code_state
state_in(struct module_pair *pair, const char *name)
{
	if (pair->same)
		return CODE_SAME;
	if (frame_name_is_unknown(name) || !module_pair_open(pair))
		return CODE_UNKNOWN;
	switch (module_pair_change(pair, name)) {
	case CODE_CHANGE_NONE:
		return CODE_SAME;
	case CODE_CHANGE_DIFFERS:
		return CODE_CHANGED;
	case CODE_CHANGE_ADDED:
		return CODE_NEW;
	case CODE_CHANGE_REMOVED:
		return CODE_GONE;
	case CODE_CHANGE_UNKNOWN:
		break;
	}
	return CODE_UNKNOWN;
}

/* How a function changed whose file chooses among several variants: by the first changed one. */
static enum code_state
state_of_variants(struct module_pair *pair, const struct profile *profile, const char *name)
{
	const char *lines = strtab_str(&profile->strings, profile->variants);
	enum code_state state = CODE_SAME;
	struct variant_line line;

	while (state == CODE_SAME && variant_names_next(&lines, &line)) {
		if (strlen(name) != line.function_len ||
			memcmp(name, line.function, line.function_len) != 0)
			continue;
		char *variant = mem_dup(line.name, line.name_len);

		state = state_in(pair, variant);
		free(variant);
	}
	return state;
}

/* Whether a function of that name changed in a file other than `own`. */
static bool
changed_elsewhere(const struct module_pairs *pairs, const struct module_pair *own, const char *name)
{
	for (size_t i = 0; i < pairs->npairs; i++) {
		struct module_pair *pair = pairs->pairs[i];
		enum code_state state;

		if (pair == own || pair->same)
			continue;
		state = state_in(pair, name);
		if (state != CODE_SAME && state != CODE_UNKNOWN)
			return true;
	}
	return false;
}

static enum code_state
state_of(const struct module_pairs *pairs, const struct places *places, frame_id id)
{
	const struct frame *frame = &places->profile->frames.frames[id];
	const struct place *place = &places->by_frame[id];
	const char *name = strtab_str(&places->profile->strings, frame->name);
	enum code_state state;

	if (pairs->before && (frame->kind == FRAME_KERNEL || place->vdso))
		return CODE_UNKNOWN;
	if (frame->kind == FRAME_KERNEL)
		return CODE_SAME;
	if (frame->kind != FRAME_USER || place->lost)
		return CODE_UNKNOWN;
	if (!place->pair)
		return place->vdso ? CODE_SAME : CODE_UNKNOWN;
	state = state_in(place->pair, name);
	if (state == CODE_SAME)
		state = state_of_variants(place->pair, places->profile, name);
	if (state == CODE_SAME && !frame_name_is_unknown(name) &&
		changed_elsewhere(pairs, place->pair, name))
		state = CODE_CHANGED;
	return state;
}

void
code_changes_read(
	struct module_pairs *pairs, const struct comparison *comparison, struct code_states *code)
{
	size_t nframes = comparison->profile.frames.nframes;
	struct places places;

	places_init(&places, &comparison->profile);
	place_side(&places, pairs, MEASURE_CANDIDATE);
	if (pairs->before)
		place_stored(&places, pairs);
	else
		place_side(&places, pairs, MEASURE_BASE);
	*code = (struct code_states){
		.by_frame = mem_zalloc(nframes, sizeof(*code->by_frame)),
		.nframes = nframes,
	};
	for (frame_id id = 1; id < nframes; id++) {
		const struct module_pair *pair = places.by_frame[id].pair;
		const enum code_state state = state_of(pairs, &places, id);

		code->by_frame[id] = state;
		code->nsame += pair && !pair->same && state == CODE_SAME;
		code->nchanged += pair && !pair->same && state > CODE_SAME;
	}
	places_release(&places);
}
