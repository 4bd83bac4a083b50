#include "ingest/text_format.h"

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

static void
test_times(void)
{
	text_format_reads(&ingest_cpuprofile,
		NODES ",\"startTime\":100,\"endTime\":150,"
		      "\"samples\":[2,3,4,3],\"timeDeltas\":[5,10,20,3]}",
		"ns", "(root);main 10000\n(root);main;(anonymous w.js) 32000\n");
	/* Out of order, as V8 writes them now and then: 3 is at 15, 2 at 25. */
	text_format_reads(&ingest_cpuprofile,
		NODES ",\"startTime\":0,\"endTime\":45,\"samples\":[2,3],\"timeDeltas\":[25,-10]}",
		"ns", "(root);main 20000\n(root);main;(anonymous w.js) 10000\n");
	text_format_reads(&ingest_cpuprofile, NODES ",\"samples\":[2,3],\"timeDeltas\":[5,7]}",
		"ns", "(root);main 7000\n");
	/* Without times, hits are what is known. */
	text_format_reads(&ingest_cpuprofile, "\xef\xbb\xbf" NODES "}", "samples",
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
	text_format_reads(
		&ingest_cpuprofile, text, "samples", "(root);a 3\n(root);a;(anonymous) 4\n");
	snprintf(text, sizeof(text), "%s,\"samples\":[2,3,2],\"timestamps\":[1000,1002,1009]}",
		head);
	text_format_reads(
		&ingest_cpuprofile, text, "ns", "(root);a 2000\n(root);a;(anonymous) 7000\n");
	text_format_reads(&ingest_cpuprofile,
		"{\"head\":{" CALL("(root)", "",
			-1) ",\"selfSize\":0,\"id\":1,\"children\":["
			    "{" CALL(
				    "f", "x.js", 3) ",\"selfSize\":64,\"id\":2,\"children\":[]}]}}",
		"bytes", "(root);f 64\n");
}

static void
test_parents(void)
{
	struct profile profile;
	struct err err;

	CU_ASSERT_EQUAL_FATAL(
		text_format_read(&ingest_cpuprofile, &profile,
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
	text_format_reads(&ingest_cpuprofile, text, "ns",
		"(root);main 10000\n(root);main;(anonymous w.js) 32000\n");
	/* Of equal keys the first counts. */
	snprintf(text, sizeof(text), "%s,\"nodes\":[],\"samples\":[],\"samples\":[2]}", NODES);
	text_format_reads(&ingest_cpuprofile, text, "samples",
		"(root);main 1\n(root);main;(anonymous w.js) 2\n");
	/* A node's children may stand ahead of its name and its id. */
	text_format_reads(&ingest_cpuprofile,
		"{\"head\":{\"children\":[{\"children\":[],\"id\":5,\"functionName\":\"b\"}],"
		"\"id\":1,\"functionName\":\"a\"},\"samples\":[5,1],\"timestamps\":[1,4]}",
		"ns", "a;b 3000\n");
}

static void
test_damaged(void)
{
	text_format_refuses(&ingest_cpuprofile, NODES ",\"samples\":[2,9],\"timeDeltas\":[1,1]}",
		"x.json: samples[1]: there is no node of this id");
	text_format_refuses(&ingest_cpuprofile, NODES ",\"samples\":[2,3],\"timeDeltas\":[1]}",
		"timeDeltas[1]: expected the time");
	text_format_refuses(&ingest_cpuprofile, NODES ",\"samples\":[2],\"timeDeltas\":[1,2]}",
		"timeDeltas[1]: there is no sample");
	text_format_refuses(&ingest_cpuprofile, NODES ",\"samples\":[2],\"timeDeltas\":[\"1\"]}",
		"timeDeltas[0]: expected");
	text_format_refuses(&ingest_cpuprofile,
		"{\"nodes\":[" NODE(1, "f", "") "," NODE(1, "g", "") "]}",
		"nodes[1]: its id is another node's");
	text_format_refuses(&ingest_cpuprofile,
		"{\"nodes\":[" NODE(1, "f", ",\"children\":[7]") "]}",
		"nodes[0]: one of its children is no node");
	text_format_refuses(&ingest_cpuprofile,
		"{\"nodes\":[" NODE(1, "f", ",\"children\":[3]") "," NODE(
			2, "g", ",\"children\":[3]") "," NODE(3, "h", "") "]}",
		"nodes[2]: it is a child of two nodes");
	text_format_refuses(&ingest_cpuprofile,
		"{\"nodes\":[" NODE(1, "f", ",\"children\":[2]") "," NODE(
			2, "g", ",\"children\":[1]") "]}",
		"nodes[0]: it is below itself");
	text_format_refuses(&ingest_cpuprofile, "{\"nodes\":[" NODE(1, "f", ",\"parent\":7") "]}",
		"nodes[0]: its parent is no node");
	text_format_refuses(&ingest_cpuprofile,
		"{\"nodes\":[" NODE(1, "f", ",\"hitCount\":-1") "]}",
		"nodes[0]: its hitCount is no number of 0 or more");
	text_format_refuses(&ingest_cpuprofile, "{\"nodes\":[7," NODE(1, "f", "") "]}",
		"nodes[0]: this is no node");
	text_format_refuses(&ingest_cpuprofile, "{\"nodes\":{" CALL("f", "", 1) "}}",
		"has no list \"nodes\" and no \"head\"");
	text_format_refuses(&ingest_cpuprofile, NODES "\n",
		"x.json:2:1: error: this is not JSON: expected ',' or '}'");
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
