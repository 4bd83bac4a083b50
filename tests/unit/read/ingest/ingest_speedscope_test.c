#include "ingest/text_format.h"

void suite_ingest_ingest_speedscope(void);

#define HEAD                                                                                            \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","                          \
	"\"shared\":{\"frames\":[{\"name\":\"main\"},{\"name\":\"f;g\",\"file\":\"f.c\",\"line\":3}]}," \
	"\"profiles\":["
#define SAMPLED "{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"none\","
#define EVENTED "{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"microseconds\",\"events\":["

static void
test_sampled(void)
{
	text_format_reads(&ingest_speedscope,
		HEAD SAMPLED "\"samples\":[[0,1],[],[0],[0,1]],\"weights\":[1,9,2,4]}]}", "samples",
		"t;main 2\nt;main;f:g 5\n");
	/* Another unit is left out, and our own files have their roots. */
	text_format_reads(&ingest_speedscope,
		HEAD SAMPLED "\"samples\":[[0]],\"weights\":[1]}," EVENTED "]}]}", "samples",
		"t;main 1\n");
	text_format_reads(&ingest_speedscope,
		"{\"exporter\":\"profile_run 9\",\"$schema\":\"https://www.speedscope.app/"
		"file-format-schema.json\",\"shared\":{\"frames\":[{\"name\":\"a\"}]},"
		"\"profiles\":[" SAMPLED "\"samples\":[[0]],\"weights\":[1]}]}",
		"samples", "a 1\n");
}

static void
test_evented(void)
{
	text_format_reads(&ingest_speedscope,
		HEAD EVENTED "{\"type\":\"O\",\"frame\":0,\"at\":1},"
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
	text_format_reads(&ingest_speedscope,
		HEAD EVENTED "{\"type\":\"O\",\"frame\":0,\"at\":1},"
			     "{\"type\":\"C\",\"frame\":0,\"at\":3}]},"
			     "{\"type\":\"sampled\",\"name\":\"u\",\"unit\":\"milliseconds\","
			     "\"samples\":[[0]],\"weights\":[2]}]}",
		"ns", "t;main 2000\nu;main 2000000\n");
}

/* As py-spy writes them: profiles ahead of the frames, and who wrote them last. */
static void
test_order(void)
{
	text_format_reads(&ingest_speedscope,
		"{\"profiles\":[{\"weights\":[1,9,2],\"samples\":[[0,1],[],[0]],"
		"\"unit\":\"none\",\"name\":\"t\",\"type\":\"sampled\"},"
		"{\"events\":[{\"at\":3,\"frame\":0,\"type\":\"O\"},"
		"{\"at\":8,\"frame\":0,\"type\":\"C\"}],\"startValue\":2,"
		"\"type\":\"evented\",\"unit\":\"none\"}],"
		"\"shared\":{\"frames\":[{\"file\":\"f\",\"name\":\"a\"},{\"name\":\"b\"}]},"
		"\"exporter\":\"py-spy\","
		"\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}",
		"samples", "a 5\nt;a 2\nt;a;b 1\n");
	/* Of our own, by jq -S. */
	text_format_reads(&ingest_speedscope,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		"\"exporter\":\"profile_run 9\",\"profiles\":[" SAMPLED
		"\"samples\":[[0]],\"weights\":[1]}],\"shared\":{\"frames\":[{\"name\":\"a\"}]},"
		"\"weights\":{\"unit\":\"instructions\"}}",
		"instructions", "a 1\n");
	text_format_refuses(&ingest_speedscope,
		"{\"profiles\":[{\"events\":[{\"at\":1,\"frame\":0,\"type\":\"O\"},"
		"{\"at\":8,\"frame\":0,\"type\":\"C\"}],\"startValue\":2,\"type\":\"evented\"}],"
		"\"shared\":{\"frames\":[{\"name\":\"a\"}]},"
		"\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}",
		"profiles[0].events[0]: its time is before the profile's startValue");
}

/* As in any list of keys: the first counts. */
static void
test_equal_keys(void)
{
	text_format_reads(&ingest_speedscope,
		HEAD SAMPLED "\"samples\":[[0]],\"samples\":[[7]],\"weights\":[1],\"weights\":2,"
			     "\"unit\":\"bytes\"}],\"profiles\":[],\"shared\":{}}",
		"samples", "t;main 1\n");
}

static void
test_damaged(void)
{
	text_format_refuses(&ingest_speedscope, HEAD "{\"type\":\"other\"}]}",
		"profiles[0]: its type is neither \"sampled\" nor \"evented\"");
	text_format_refuses(&ingest_speedscope,
		HEAD SAMPLED "\"samples\":[[0],[2]],\"weights\":[1,1]}]}",
		"profiles[0].samples[1]: it has a frame that shared.frames does not have");
	text_format_refuses(&ingest_speedscope,
		HEAD SAMPLED "\"samples\":[[0],[0.5]],\"weights\":[1,1]}]}",
		"profiles[0].samples[1]: it has a frame that");
	text_format_refuses(&ingest_speedscope,
		HEAD SAMPLED "\"samples\":[[0],[0]],\"weights\":[1]}]}",
		"profiles[0].samples[1]: it has no weight");
	text_format_refuses(&ingest_speedscope,
		HEAD SAMPLED "\"samples\":[[0]],\"weights\":[1,2]}]}", "more weights than samples");
	text_format_refuses(&ingest_speedscope, HEAD SAMPLED "\"samples\":[0],\"weights\":[1]}]}",
		"samples[0]: it is no list");
	text_format_refuses(&ingest_speedscope, HEAD SAMPLED "\"weights\":[]}]}",
		"profiles[0]: has no list \"samples\"");
	text_format_refuses(&ingest_speedscope,
		HEAD SAMPLED "\"samples\":[[0]],\"weights\":[-1]}]}",
		"profiles[0].samples[0]: it has no weight");
	text_format_refuses(&ingest_speedscope, HEAD "\n{]}",
		"x.json:2:2: error: this is not JSON: expected a key in quotes");
	text_format_refuses(&ingest_speedscope, HEAD "]}\n{}",
		"x.json:2:1: error: the object ends ahead of this");
	text_format_refuses(&ingest_speedscope,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}",
		"x.json: has no list shared.frames");
}

#define EVENT(type, frame, at) "{\"type\":\"" type "\",\"frame\":" #frame ",\"at\":" #at "}"

static void
test_damaged_events(void)
{
	text_format_refuses(&ingest_speedscope,
		HEAD EVENTED EVENT("O", 0, 3) "," EVENT("C", 0, 2) "]}]}",
		"profiles[0].events[1]: its time is before that of the event ahead");
	text_format_refuses(&ingest_speedscope,
		HEAD EVENTED EVENT("O", 0, -3) "," EVENT("C", 0, 2) "]}]}",
		"profiles[0].events[0]: its time is before the profile's startValue");
	text_format_refuses(&ingest_speedscope,
		HEAD EVENTED "{\"type\":\"O\",\"frame\":0,\"at\":\"1\"}]}]}",
		"profiles[0].events[0]: its time \"at\" is no number");
	text_format_refuses(&ingest_speedscope,
		HEAD EVENTED EVENT("O", 0, 3) "," EVENT("C", 0, 4) "," EVENT("C", 0, 5) "]}]}",
		"profiles[0].events[2]: it closes a function that is not open");
	text_format_refuses(&ingest_speedscope,
		HEAD EVENTED EVENT("O", 0, 3) "," EVENT("O", 1, 4) "," EVENT("C", 0, 5) "]}]}",
		"profiles[0].events[2]: it closes another function than the innermost");
	text_format_refuses(&ingest_speedscope,
		HEAD EVENTED EVENT("O", 0, 3) "," EVENT("O", 1, 4) "," EVENT("C", 1, 5) "]}]}",
		"profiles[0].events[0]: the function that it opens is never closed");
	text_format_refuses(&ingest_speedscope, HEAD EVENTED EVENT("X", 0, 3) "]}]}",
		"events[0]: it is neither \"O\" nor \"C\"");
	text_format_refuses(&ingest_speedscope, HEAD "{\"type\":\"evented\"}]}",
		"profiles[0]: has no list \"events\"");
	/* Times may begin anywhere. */
	text_format_reads(&ingest_speedscope,
		"\xef\xbb\xbf" HEAD "{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"none\","
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
