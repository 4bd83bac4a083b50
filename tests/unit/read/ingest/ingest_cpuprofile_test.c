#include "ingest/ingest.h"
#include "profile/weights.h"

#include "folded_check.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

void suite_ingest_ingest_cpuprofile(void);

#define CALL(name, url, line) \
	"\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"" url "\",\"lineNumber\":" #line "}"
#define NODE(id, name, more) "{\"id\":" #id "," CALL(name, "file:///app/w.js", id) more "}"
#define NODES                                                                            \
	"{\"nodes\":[{\"id\":1," CALL(                                                   \
		"(root)", "", -1) ",\"hitCount\":0,\"children\":[2,4]}," NODE(2, "main", \
		",\"hitCount\":1,\"children\":[3]") "," NODE(3, "",                      \
		",\"hitCount\":2") ","                                                   \
				   "{\"id\":4," CALL("(idle)", "", -1) ",\"hitCount\":3}]"

static int
read_text(struct profile *profile, const char *text, struct err *err)
{
	const struct file_view view = {.data = text, .len = strlen(text)};
	const struct ingest_options options = {.event = NULL};

	*err = (struct err){.kind = ERR_NONE};
	profile_init(profile);
	CU_ASSERT(ingest_find_format(view.data, view.len) == &ingest_cpuprofile);
	return ingest_cpuprofile.read(profile, &view, "x.cpuprofile", &options, err);
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
test_times(void)
{
	expect(NODES ",\"startTime\":100,\"endTime\":150,"
		     "\"samples\":[2,3,4,3],\"timeDeltas\":[5,10,20,3]}",
		"ns", "(root);main 10000\n(root);main;(anonymous w.js) 32000\n");
	/* Out of order, as V8 writes them now and then: 3 is at 15, 2 at 25. */
	expect(NODES ",\"startTime\":0,\"endTime\":45,\"samples\":[2,3],\"timeDeltas\":[25,-10]}",
		"ns", "(root);main 20000\n(root);main;(anonymous w.js) 10000\n");
	expect(NODES ",\"samples\":[2,3],\"timeDeltas\":[5,7]}", "ns", "(root);main 7000\n");
	/* Without times, hits are what is known. */
	expect("\xef\xbb\xbf" NODES "}", "samples",
		"(root);main 1\n(root);main;(anonymous w.js) 2\n");
}

static void
test_nested(void)
{
	static const char head[] =
		"{\"head\":{\"functionName\":\"(root)\",\"url\":\"\",\"hitCount\":0,\"id\":1,"
		"\"children\":[{\"functionName\":\"a\",\"url\":\"x.js\",\"hitCount\":3,\"id\":2,"
		"\"children\":[{\"functionName\":\"\",\"url\":\"\",\"hitCount\":4,\"id\":3}]}]}";
	char text[1024];

	snprintf(text, sizeof(text), "%s}", head);
	expect(text, "samples", "(root);a 3\n(root);a;(anonymous) 4\n");
	snprintf(text, sizeof(text), "%s,\"samples\":[2,3,2],\"timestamps\":[1000,1002,1009]}",
		head);
	expect(text, "ns", "(root);a 2000\n(root);a;(anonymous) 7000\n");
	expect("{\"head\":{" CALL("(root)", "",
		       -1) ",\"selfSize\":0,\"id\":1,\"children\":["
			   "{" CALL("f", "x.js", 3) ",\"selfSize\":64,\"id\":2,\"children\":[]}]}}",
		"bytes", "(root);f 64\n");
}

static void
test_parents(void)
{
	struct profile profile;
	struct err err;

	CU_ASSERT_EQUAL_FATAL(
		read_text(&profile,
			"{\"nodes\":[" NODE(9, "f", ",\"parent\":3,\"hitCount\":1") "," NODE(
				3, "main", "") "]}",
			&err),
		0);
	folded_check(&profile, "main;f 1\n");
	const struct frame *frame = &profile.frames.frames[2];

	UNIT_STR_EQ(profile_frame_name(&profile, 2), "f");
	UNIT_STR_EQ(strtab_str(&profile.strings, frame->file), "file:///app/w.js");
	CU_ASSERT_EQUAL(frame->line, 10);
	profile_release(&profile);
}

/* NODES begins with a brace. */
static void
test_order(void)
{
	char text[2048];

	snprintf(text, sizeof(text),
		"{\"timestamps\":[1],\"timeDeltas\":[5,10,20,3],\"samples\":[2,3,4,3],"
		"\"endTime\":150,\"head\":{\"functionName\":7},%s,\"startTime\":100}",
		&NODES[1]);
	expect(text, "ns", "(root);main 10000\n(root);main;(anonymous w.js) 32000\n");
	/* Of equal keys the first counts. */
	snprintf(text, sizeof(text), "%s,\"nodes\":[],\"samples\":[],\"samples\":[2]}", NODES);
	expect(text, "samples", "(root);main 1\n(root);main;(anonymous w.js) 2\n");
	/* A node's children may stand ahead of its name and its id. */
	expect("{\"head\":{\"children\":[{\"children\":[],\"id\":5,\"functionName\":\"b\"}],"
	       "\"id\":1,\"functionName\":\"a\"},\"samples\":[5,1],\"timestamps\":[1,4]}",
		"ns", "a;b 3000\n");
}

static void
test_damaged(void)
{
	refuses(NODES ",\"samples\":[2,9],\"timeDeltas\":[1,1]}",
		"x.cpuprofile: samples[1]: there is no node of this id");
	refuses(NODES ",\"samples\":[2,3],\"timeDeltas\":[1]}", "timeDeltas[1]: expected the time");
	refuses(NODES ",\"samples\":[2],\"timeDeltas\":[1,2]}",
		"timeDeltas[1]: there is no sample");
	refuses(NODES ",\"samples\":[2],\"timeDeltas\":[\"1\"]}", "timeDeltas[0]: expected");
	refuses("{\"nodes\":[" NODE(1, "f", "") "," NODE(1, "g", "") "]}",
		"nodes[1]: its id is another node's");
	refuses("{\"nodes\":[" NODE(1, "f", ",\"children\":[7]") "]}",
		"nodes[0]: one of its children is no node");
	refuses("{\"nodes\":[" NODE(1, "f", ",\"children\":[3]") "," NODE(
			2, "g", ",\"children\":[3]") "," NODE(3, "h", "") "]}",
		"nodes[2]: it is a child of two nodes");
	refuses("{\"nodes\":[" NODE(1, "f", ",\"children\":[2]") "," NODE(
			2, "g", ",\"children\":[1]") "]}",
		"nodes[0]: it is below itself");
	refuses("{\"nodes\":[" NODE(1, "f", ",\"parent\":7") "]}",
		"nodes[0]: its parent is no node");
	refuses("{\"nodes\":[" NODE(1, "f", ",\"hitCount\":-1") "]}",
		"nodes[0]: its hitCount is no number of 0 or more");
	refuses("{\"nodes\":[7," NODE(1, "f", "") "]}", "nodes[0]: this is no node");
	refuses("{\"nodes\":{" CALL("f", "", 1) "}}", "has no list \"nodes\" and no \"head\"");
	refuses(NODES "\n", "x.cpuprofile:2:1: error: this is not JSON: expected ',' or '}'");
}

static void
test_others(void)
{
	static const char *const others[] = {"", "{}", "{\"nodes\":[]}", "{\"functionName\":1}",
		"{\"traceEvents\":[{\"nodes\":[{\"functionName\":\"f\"}]}]}",
		"[\"nodes\",\"functionName\"]"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CU_ASSERT(!ingest_cpuprofile.detect(others[i], strlen(others[i])));
}

static const struct unit_case cases[] = {
	{"samples_have_the_time_until_the_next_one", test_times},
	{"old_files_and_heap_profiles_are_nodes_within_nodes", test_nested},
	{"nodes_may_name_their_parents_and_come_in_any_order", test_parents},
	{"members_may_come_in_any_order", test_order},
	{"damage_is_an_error_that_says_where", test_damaged},
	{"other_json_is_not_taken", test_others},
	{NULL, NULL},
};

void
suite_ingest_ingest_cpuprofile(void)
{
	unit_suite("ingest/ingest_cpuprofile", cases);
}
