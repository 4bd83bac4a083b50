#include "output/pprof_places.h"

#include "base/mem.h"
#include "output/protobuf.h"
#include "profile/pprof_fields.h"

#include <stdlib.h>

struct places {
	struct pprof_message *message;
	const struct profile *profile;
	const struct pprof_locations *locations;
	frame_id *first; /* by frame: the first one of its function */
	bool *used;      /* functions of locations: by first frame, then those alone */
};

static void
put_text(struct places *places, unsigned field, str_id text)
{
	const struct strtab *strings = &places->profile->strings;

	protobuf_put_number(&places->message->part, field,
		pprof_message_text(
			places->message, strtab_str(strings, text), strtab_len(strings, text)));
}

static void
put_mapping(struct places *places, uint32_t mapping)
{
	const uint64_t key = places->locations->mappings.keys[mapping - 1];

	protobuf_put_number(&places->message->part, PPROF_MAPPING_ID, mapping);
	put_text(places, PPROF_MAPPING_FILE, (str_id)(key >> 32));
	put_text(places, PPROF_MAPPING_BUILD_ID, (str_id)key);
	/* All that is known of names is here: readers need not look for the files. */
	protobuf_put_number(&places->message->part, PPROF_MAPPING_HAS_FUNCTIONS, true);
	protobuf_put_number(&places->message->part, PPROF_MAPPING_HAS_FILES, true);
	protobuf_put_number(&places->message->part, PPROF_MAPPING_HAS_INLINED, true);
	protobuf_put_part(&places->message->out, PPROF_MAPPING, &places->message->part);
}

/* By frame: the first one of its function. Frames of one function differ in their lines. */
static frame_id *
first_frames(const struct profile *profile)
{
	const size_t nframes = profile->frames.nframes;
	frame_id *first = mem_zalloc(nframes, sizeof(*first));
	frame_id *of_number = mem_zalloc(nframes, sizeof(*of_number));
	struct key_map functions = {0}; /* (name, kind) */

	for (frame_id id = 0; id < nframes; id++) {
		const struct frame *frame = &profile->frames.frames[id];
		const size_t known = functions.count;
		const uint32_t number =
			key_map_add(&functions, key_of_pair(frame->name, frame->kind));

		if (functions.count > known)
			of_number[number] = id;
		first[id] = of_number[number];
	}
	key_map_release(&functions);
	free(of_number);
	return first;
}

/*
 * The function of a location: its first frame's number. Where it has no line around it that says
 * that it was inlined, its name does, and it is another function.
 */
static uint64_t
function_of(const struct places *places, uint32_t location)
{
	const frame_id frame = pprof_locations_frame(places->locations, location);
	const struct frame_table *frames = &places->profile->frames;
	const bool alone = frames->frames[frame].kind == FRAME_INLINED &&
			   pprof_locations_outer(places->locations, location) == 0;

	return (alone ? frames->nframes : 0) + places->first[frame];
}

static uint32_t
line_of(const struct places *places, uint32_t location)
{
	const frame_id frame = pprof_locations_frame(places->locations, location);

	return places->profile->frames.frames[frame].at_line;
}

/* The innermost function comes first. */
static void
put_location(struct places *places, uint32_t location)
{
	protobuf_put_number(&places->message->part, PPROF_LOCATION_ID, location);
	protobuf_put_number(&places->message->part, PPROF_LOCATION_MAPPING,
		places->locations->mapping_of[location - 1]);
	for (uint32_t at = location; at != 0; at = pprof_locations_outer(places->locations, at)) {
		const uint64_t function = function_of(places, at);

		places->used[function] = true;
		protobuf_put_number(&places->message->list, PPROF_LINE_FUNCTION, function);
		protobuf_put_number(&places->message->list, PPROF_LINE_NUMBER, line_of(places, at));
		protobuf_put_part(
			&places->message->part, PPROF_LOCATION_LINE, &places->message->list);
	}
	protobuf_put_part(&places->message->out, PPROF_LOCATION, &places->message->part);
}

static void
put_function(struct places *places, uint64_t function)
{
	const struct profile *profile = places->profile;
	const bool alone = function >= profile->frames.nframes;
	const frame_id id = (frame_id)(alone ? function - profile->frames.nframes : function);
	const struct frame *frame = &profile->frames.frames[id];
	struct buf name = {0};

	if (frame->kind == FRAME_INLINED && !alone)
		buf_puts(&name, profile_frame_name(profile, id));
	else
		profile_put_frame(profile, id, &name);
	protobuf_put_number(&places->message->part, PPROF_FUNCTION_ID, function);
	protobuf_put_number(&places->message->part, PPROF_FUNCTION_NAME,
		pprof_message_text(places->message, buf_text(&name), name.len));
	put_text(places, PPROF_FUNCTION_FILE, frame->file);
	protobuf_put_number(&places->message->part, PPROF_FUNCTION_START_LINE, frame->line);
	protobuf_put_part(&places->message->out, PPROF_FUNCTION, &places->message->part);
	buf_release(&name);
}

void
pprof_places_put(struct pprof_message *message, const struct pprof_locations *locations)
{
	const size_t nframes = locations->profile->frames.nframes;
	struct places places = {
		.message = message,
		.profile = locations->profile,
		.locations = locations,
		.first = first_frames(locations->profile),
		.used = mem_zalloc(2 * nframes, sizeof(*places.used)),
	};

	for (uint32_t i = 1; i <= locations->mappings.count; i++)
		put_mapping(&places, i);
	for (uint32_t i = 1; i <= locations->keys.count; i++)
		if (locations->used[i - 1])
			put_location(&places, i);
	for (size_t i = 1; i < 2 * nframes; i++)
		if (places.used[i])
			put_function(&places, i);
	free(places.used);
	free(places.first);
}
