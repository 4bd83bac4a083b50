#include "replay/record_file.h"

#include "base/sha256.h"
#include "replay/codec.h"
#include "unit.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define FORMAT TEXT(RECORD_FORMAT)

static void
pack(const char *text, struct buf *out)
{
	struct buf contents = {0};

	for (int i = 0; i < 50; i++)
		buf_puts(&contents, text);
	CU_ASSERT(record_pack(&record_replay, &contents, "1.2.3", out));
	buf_release(&contents);
}

static int
unpack(const char *bytes, size_t len, struct buf *contents, struct err *err)
{
	/* A separate copy: reading beyond it is found. */
	char *copy = malloc(len ? len : 1);

	UNIT_NEED(copy);
	memcpy(copy, bytes, len);
	struct record_contents record;
	int result = record_unpack(&record_replay, "f", copy, len, &record, err);

	CU_ASSERT_EQUAL(record.format, RECORD_FORMAT);
	*contents = record.bytes;
	free(copy);
	return result;
}

static void
contents_come_back(void)
{
	struct buf file = {0};
	struct buf contents = {0};
	struct err err = {0};

	pack("what was judged, ", &file);
	CU_ASSERT(file.len < 850);
	UNIT_CONTAINS(file.data, "profile_run-replay " FORMAT " 1.2.3 850 ");
	CU_ASSERT_EQUAL_FATAL(unpack(file.data, file.len, &contents, &err), 0);
	CU_ASSERT_EQUAL(contents.len, 850);
	CU_ASSERT(memcmp(contents.data, "what was judged, what", 21) == 0);
	buf_release(&contents);
	buf_release(&file);
}

static void
every_truncation_is_refused(void)
{
	struct buf file = {0};

	pack("abc", &file);
	for (size_t len = 0; len < file.len; len++) {
		struct buf contents = {0};
		struct err err = {0};

		CU_ASSERT_EQUAL(unpack(file.data, len, &contents, &err), -1);
		CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
		if (len > 60)
			UNIT_CONTAINS(err.text, "f: cut off: ");
		buf_release(&contents);
	}
	buf_release(&file);
}

static void
flip(char *bytes, size_t bit)
{
	bytes[bit / 8] = (char)((unsigned char)bytes[bit / 8] ^ 1U << bit % 8);
}

static void
every_changed_bit_is_refused(void)
{
	struct buf file = {0};

	pack("abc", &file);
	for (size_t bit = 0; bit < 8 * file.len; bit++) {
		struct buf contents = {0};
		struct err err = {0};

		flip(file.data, bit);
		CU_ASSERT_EQUAL(unpack(file.data, file.len, &contents, &err), -1);
		CU_ASSERT(err.kind == ERR_INPUT && err.len > 0);
		flip(file.data, bit);
		buf_release(&contents);
	}
	buf_release(&file);
}

static void
check_refused(const char *bytes, const char *reason)
{
	struct buf contents = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL(unpack(bytes, strlen(bytes), &contents, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
	UNIT_CONTAINS(err.text, reason);
	buf_release(&contents);
}

static void
refusals_tell_the_reason(void)
{
	check_refused("", "f: not a replay file of profile_run");
	check_refused("{}", "f: not a replay file of profile_run");
	check_refused("profile_run-replay 99 9.8.0 of another shape\n",
		"f: written by profile_run 9.8.0 in format 99; this is profile_run " PROFILE_RUN_VERSION
		", which reads up to format " FORMAT);
	check_refused("profile_run-replay 0 0.1.0 1 1\n", "f: there is no format 0");
	check_refused("profile_run-replay 1 0.1.0 1", "f: the first line is cut off or altered");
	check_refused("profile_run-replay 1 0.1.0 999999999999 1\n",
		"999999999999 when unpacked; more than 100 times as many are not read");
}

/* A checksum keeps accidents out, nobody's purpose. */
static void
a_record_that_only_claims_to_be_packed_is_refused(void)
{
	struct buf file = {0};
	struct buf contents = {0};
	struct err err = {0};
	char hash[SHA256_TEXT_SIZE];

	buf_puts(&file, "profile_run-replay 1 0.1.0 9 4\nabcd");
	sha256_text(file.data, file.len, hash);
	buf_puts(&file, hash);
	CU_ASSERT_EQUAL(unpack(file.data, file.len, &contents, &err), -1);
	UNIT_CONTAINS(err.text, "f: broken: it cannot be unpacked");
	buf_release(&contents);
	buf_release(&file);
}

static const struct unit_case cases[] = {
	{"contents_come_back", contents_come_back},
	{"every_truncation_is_refused", every_truncation_is_refused},
	{"every_changed_bit_is_refused", every_changed_bit_is_refused},
	{"refusals_tell_the_reason", refusals_tell_the_reason},
	{"a_record_that_only_claims_to_be_packed_is_refused",
		a_record_that_only_claims_to_be_packed_is_refused},
	{NULL, NULL},
};

void suite_replay_record_file(void);

void
suite_replay_record_file(void)
{
	unit_suite("replay/record_file", cases);
}
