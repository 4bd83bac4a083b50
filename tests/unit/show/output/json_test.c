#include "output/output.h"

#include "output/json_add.h"
#include "sample.h"
#include "schema_check.h"

#include <cjson/cJSON.h>

#define SCHEMA "harness/show/output/schema/verdict.schema.json"

void suite_output_json(void);

static cJSON *
written(bool hostile)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, hostile);
	output_write(&output_json, &sample.report, &out);
	CU_ASSERT_TRUE(sample_is_plain(&out));
	CU_ASSERT_TRUE(sample_is_utf8(&out));
	cJSON *document = cJSON_ParseWithLength(buf_text(&out), out.len);

	sample_release(&sample);
	buf_release(&out);
	return document;
}

static void
check_valid(struct validation *validation, bool hostile)
{
	cJSON *document = written(hostile);

	CU_ASSERT_PTR_NOT_NULL_FATAL(document);
	CU_ASSERT_TRUE(validate(validation, validation->schema, document));
	if (validation->problem)
		printf("%s: %s\n", validation->where, validation->problem);
	cJSON_Delete(document);
}

static void
the_document_is_valid_by_its_schema(void)
{
	cJSON *schema = read_schema(SCHEMA);
	struct validation validation = {.schema = schema};

	CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
	check_valid(&validation, false);
	check_valid(&validation, true);
	cJSON_Delete(schema);
}

static void
the_schema_has_no_key_that_no_document_has(void)
{
	cJSON *schema = read_schema(SCHEMA);
	struct validation validation = {.schema = schema};
	const cJSON *definition;

	check_valid(&validation, false);
	CU_ASSERT_EQUAL(count_unused(&validation, schema), 0);
	cJSON_ArrayForEach(definition, cJSON_GetObjectItemCaseSensitive(schema, "$defs"))
	{
		CU_ASSERT_EQUAL(count_unused(&validation, definition), 0);
	}
	cJSON_Delete(schema);
}

/* Every object of the schema is closed and wants all of its keys. */
static void
check_closed(const cJSON *schema)
{
	const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
	const cJSON *property;

	if (!properties)
		return;
	CU_ASSERT_TRUE(
		cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(schema, "additionalProperties")));
	CU_ASSERT_EQUAL(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(schema, "required")),
		cJSON_GetArraySize(properties));
	cJSON_ArrayForEach(property, properties)
	{
		check_closed(property);
	}
}

static void
the_schema_is_closed(void)
{
	cJSON *schema = read_schema(SCHEMA);
	const cJSON *definition;

	check_closed(schema);
	cJSON_ArrayForEach(definition, cJSON_GetObjectItemCaseSensitive(schema, "$defs"))
	{
		check_closed(definition);
	}
	cJSON_Delete(schema);
}

static void
the_validator_can_refuse(void)
{
	cJSON *schema = read_schema(SCHEMA);
	struct validation validation = {.schema = schema};
	cJSON *document = written(false);

	cJSON_AddNullToObject(document, "surprise");
	CU_ASSERT_FALSE(validate(&validation, schema, document));
	cJSON_DeleteItemFromObjectCaseSensitive(document, "surprise");
	CU_ASSERT_TRUE(validate(&validation, schema, document));
	cJSON_ReplaceItemInObjectCaseSensitive(document, "exit_code", cJSON_CreateNumber(7));
	CU_ASSERT_FALSE(validate(&validation, schema, document));
	cJSON_Delete(document);
	cJSON_Delete(schema);
}

static void
a_value_that_is_no_number_is_null(void)
{
	cJSON *document = written(false);
	const cJSON *workloads = cJSON_GetObjectItemCaseSensitive(document, "workloads");
	const cJSON *last = cJSON_GetArrayItem(workloads, SAMPLE_WORKLOADS - 1);
	const cJSON *finding =
		cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(last, "findings"), 0);

	CU_ASSERT_TRUE(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(finding, "asked")));
	CU_ASSERT_TRUE(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(last, "baseline")));
	cJSON_Delete(document);
}

static void
numbers_have_nine_digits_and_whole_ones_all(void)
{
	static const double values[][2] = {{1.0 / 3, 0.333333333}, {-123456789.125, -123456789},
		{1234567890123, 1234567890123}, {9007199254740991, 9007199254740991},
		{1.25e-300, 1.25e-300}, {0, 0}};
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		json_add_number(object, "number", values[i][0]);
		cJSON *number = cJSON_DetachItemFromObject(object, "number");

		CU_ASSERT_EQUAL(number->valuedouble, values[i][1]);
		cJSON_Delete(number);
	}
	cJSON_Delete(object);
}

static void
a_name_of_64_kib_is_whole(void)
{
	cJSON *document = written(true);
	const cJSON *workload =
		cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(document, "workloads"), 1);
	const cJSON *finding =
		cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(workload, "findings"), 0);

	CU_ASSERT_EQUAL(strlen(cJSON_GetObjectItemCaseSensitive(finding, "subject")->valuestring),
		SAMPLE_TEMPLATE_BYTES);
	cJSON_Delete(document);
}

void
suite_output_json(void)
{
	static const struct unit_case cases[] = {
		{"the_document_is_valid_by_its_schema", the_document_is_valid_by_its_schema},
		{"the_schema_has_no_key_that_no_document_has",
			the_schema_has_no_key_that_no_document_has},
		{"the_schema_is_closed", the_schema_is_closed},
		{"the_validator_can_refuse", the_validator_can_refuse},
		{"a_value_that_is_no_number_is_null", a_value_that_is_no_number_is_null},
		{"numbers_have_nine_digits_and_whole_ones_all",
			numbers_have_nine_digits_and_whole_ones_all},
		{"a_name_of_64_kib_is_whole", a_name_of_64_kib_is_whole},
		{NULL, NULL},
	};

	unit_suite("output/json", cases);
}
