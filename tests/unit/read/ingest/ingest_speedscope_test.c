#include "ingest/ingest.h"
#include "profile/weights.h"

#include "folded_check.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

void suite_ingest_ingest_speedscope(void);

#define HEAD                                                                                            \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","                          \
	"\"shared\":{\"frames\":[{\"name\":\"main\"},{\"name\":\"f;g\",\"file\":\"f.c\",\"line\":3}]}," \
	"\"profiles\":["
#define SAMPLED "{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"none\","
#define EVENTED "{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"microseconds\",\"events\":["

static int
read_text(struct profile *profile, const char *text, struct err *err)
{
	const struct file_view view = {.data = text, .len = strlen(text)};
	const struct ingest_options options = {.event = NULL};

	*err = (struct err){.kind = ERR_NONE};
	profile_init(profile);
	CU_ASSERT(ingest_speedscope.detect(view.data, view.len));
	return ingest_speedscope.read(profile, &view, "x.json", &options, err);
}

static void
expect(const char *text, const char *unit, const char *folded)
{
	struct profile profile;
	struct err err;

	CU_ASSERT_EQUAL_FATAL(read_text(&profile, text, &err), 0);
	folded_check(&profile, folded);
	UNIT_STR_EQ(weights_unit(&profile), unit);
	profile_release(&profile);
}

static void
refuses(const char *text, const char *what)
{
	struct profile profile;
	struct err err;

	CU_ASSERT_EQUAL(read_text(&profile, text, &err), -1);
	if (!strstr(err.text, what))
		printf("  | %s\n", err.text);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, what));
	profile_release(&profile);
}

static void
test_sampled(void)
{
	expect(HEAD SAMPLED "\"samples\":[[0,1],[],[0],[0,1]],\"weights\":[1,9,2,4]}]}", "samples",
		"t;main 2\nt;main;f:g 5\n");
	/* Another unit is left out, and our own files have their roots. */
	expect(HEAD SAMPLED "\"samples\":[[0]],\"weights\":[1]}," EVENTED "]}]}", "samples",
		"t;main 1\n");
	expect("{\"exporter\":\"profile_run 9\",\"$schema\":\"https://www.speedscope.app/"
	       "file-format-schema.json\",\"shared\":{\"frames\":[{\"name\":\"a\"}]},"
	       "\"profiles\":[" SAMPLED "\"samples\":[[0]],\"weights\":[1]}]}",
		"samples", "a 1\n");
}

static void
test_evented(void)
{
	expect(HEAD EVENTED "{\"type\":\"O\",\"frame\":0,\"at\":1},"
			    "{\"type\":\"O\",\"frame\":1,\"at\":3},"
			    "{\"type\":\"C\",\"frame\":1,\"at\":4.5},"
			    "{\"type\":\"C\",\"frame\":0,\"at\":5},"
			    "{\"type\":\"O\",\"frame\":0,\"at\":9},"
			    "{\"type\":\"C\",\"frame\":0,\"at\":10}]}]}",
		"ns", "t;main 3500\nt;main;f:g 1500\n");
}

/* For one quantity, though in two units. */
static void
test_units(void)
{
	expect(HEAD EVENTED "{\"type\":\"O\",\"frame\":0,\"at\":1},"
			    "{\"type\":\"C\",\"frame\":0,\"at\":3}]},"
			    "{\"type\":\"sampled\",\"name\":\"u\",\"unit\":\"milliseconds\","
			    "\"samples\":[[0]],\"weights\":[2]}]}",
		"ns", "t;main 2000\nu;main 2000000\n");
}

/* As py-spy writes them: profiles ahead of the frames, and who wrote them last. */
static void
test_order(void)
{
	expect("{\"profiles\":[{\"weights\":[1,9,2],\"samples\":[[0,1],[],[0]],"
	       "\"unit\":\"none\",\"name\":\"t\",\"type\":\"sampled\"},"
	       "{\"events\":[{\"at\":3,\"frame\":0,\"type\":\"O\"},"
	       "{\"at\":8,\"frame\":0,\"type\":\"C\"}],\"startValue\":2,"
	       "\"type\":\"evented\",\"unit\":\"none\"}],"
	       "\"shared\":{\"frames\":[{\"file\":\"f\",\"name\":\"a\"},{\"name\":\"b\"}]},"
	       "\"exporter\":\"py-spy\","
	       "\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}",
		"samples", "a 5\nt;a 2\nt;a;b 1\n");
	/* Of our own, by jq -S. */
	expect("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
	       "\"exporter\":\"profile_run 9\",\"profiles\":[" SAMPLED
	       "\"samples\":[[0]],\"weights\":[1]}],\"shared\":{\"frames\":[{\"name\":\"a\"}]},"
	       "\"weights\":{\"unit\":\"instructions\"}}",
		"instructions", "a 1\n");
	refuses("{\"profiles\":[{\"events\":[{\"at\":1,\"frame\":0,\"type\":\"O\"},"
		"{\"at\":8,\"frame\":0,\"type\":\"C\"}],\"startValue\":2,\"type\":\"evented\"}],"
		"\"shared\":{\"frames\":[{\"name\":\"a\"}]},"
		"\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}",
		"profiles[0].events[0]: its time is before the profile's startValue");
}

/* As in any list of keys: the first counts. */
static void
test_equal_keys(void)
{
	expect(HEAD SAMPLED "\"samples\":[[0]],\"samples\":[[7]],\"weights\":[1],\"weights\":2,"
			    "\"unit\":\"bytes\"}],\"profiles\":[],\"shared\":{}}",
		"samples", "t;main 1\n");
}

static void
test_damaged(void)
{
	refuses(HEAD "{\"type\":\"other\"}]}",
		"profiles[0]: its type is neither \"sampled\" nor \"evented\"");
	refuses(HEAD SAMPLED "\"samples\":[[0],[2]],\"weights\":[1,1]}]}",
		"profiles[0].samples[1]: it has a frame that shared.frames does not have");
	refuses(HEAD SAMPLED "\"samples\":[[0],[0.5]],\"weights\":[1,1]}]}",
		"profiles[0].samples[1]: it has a frame that");
	refuses(HEAD SAMPLED "\"samples\":[[0],[0]],\"weights\":[1]}]}",
		"profiles[0].samples[1]: it has no weight");
	refuses(HEAD SAMPLED "\"samples\":[[0]],\"weights\":[1,2]}]}", "more weights than samples");
	refuses(HEAD SAMPLED "\"samples\":[0],\"weights\":[1]}]}", "samples[0]: it is no list");
	refuses(HEAD SAMPLED "\"weights\":[]}]}", "profiles[0]: has no list \"samples\"");
	refuses(HEAD SAMPLED "\"samples\":[[0]],\"weights\":[-1]}]}",
		"profiles[0].samples[0]: it has no weight");
	refuses(HEAD "\n{]}", "x.json:2:2: error: this is not JSON: expected a key in quotes");
	refuses(HEAD "]}\n{}", "x.json:2:1: error: the object ends ahead of this");
	refuses("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}",
		"x.json: has no list shared.frames");
}

#define EVENT(type, frame, at) "{\"type\":\"" type "\",\"frame\":" #frame ",\"at\":" #at "}"

static void
test_damaged_events(void)
{
	refuses(HEAD EVENTED EVENT("O", 0, 3) "," EVENT("C", 0, 2) "]}]}",
		"profiles[0].events[1]: its time is before that of the event ahead");
	refuses(HEAD EVENTED EVENT("O", 0, -3) "," EVENT("C", 0, 2) "]}]}",
		"profiles[0].events[0]: its time is before the profile's startValue");
	refuses(HEAD EVENTED "{\"type\":\"O\",\"frame\":0,\"at\":\"1\"}]}]}",
		"profiles[0].events[0]: its time \"at\" is no number");
	refuses(HEAD EVENTED EVENT("O", 0, 3) "," EVENT("C", 0, 4) "," EVENT("C", 0, 5) "]}]}",
		"profiles[0].events[2]: it closes a function that is not open");
	refuses(HEAD EVENTED EVENT("O", 0, 3) "," EVENT("O", 1, 4) "," EVENT("C", 0, 5) "]}]}",
		"profiles[0].events[2]: it closes another function than the innermost");
	refuses(HEAD EVENTED EVENT("O", 0, 3) "," EVENT("O", 1, 4) "," EVENT("C", 1, 5) "]}]}",
		"profiles[0].events[0]: the function that it opens is never closed");
	refuses(HEAD EVENTED EVENT("X", 0, 3) "]}]}", "events[0]: it is neither \"O\" nor \"C\"");
	refuses(HEAD "{\"type\":\"evented\"}]}", "profiles[0]: has no list \"events\"");
	/* Times may begin anywhere. */
	expect("\xef\xbb\xbf" HEAD "{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"none\","
	       "\"startValue\":-4,\"events\":[" EVENT("O", 0, -3) "," EVENT("C", 0, 2) "]}]}",
		"samples", "t;main 5\n");
}

void
suite_ingest_ingest_speedscope(void)
{
	static const struct unit_case cases[] = {
		{"samples_have_their_weights_below_their_thread", test_sampled},
		{"events_have_the_time_until_the_next_one", test_evented},
		{"members_may_come_in_any_order", test_order},
		{"of_equal_keys_the_first_counts", test_equal_keys},
		{"units_of_one_quantity_are_converted", test_units},
		{"damage_is_an_error_that_says_where", test_damaged},
		{"events_that_do_not_fit_are_named_by_their_index", test_damaged_events},
		{NULL, NULL},
	};

	unit_suite("ingest/ingest_speedscope", cases);
}
