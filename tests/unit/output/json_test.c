#include "output/output.h"
#include "sample.h"

#include <cjson/cJSON.h>

void suite_output_json(void);

/*
 * A validator for the part of JSON Schema (2020-12) that our schema keeps to. `used` collects every
 * property that some document showed, so that one no document can have is found too.
 */
struct validation {
	const cJSON *schema;
	const char *problem; /* the first; NULL where all is well */
	char where[128];
	const cJSON *used[512];
	size_t nused;
};

static bool validate(struct validation *validation, const cJSON *schema, const cJSON *value);

static bool
refuse(struct validation *validation, const char *problem, const cJSON *value)
{
	if (!validation->problem) {
		validation->problem = problem;
		snprintf(validation->where, sizeof(validation->where), "%s",
			value->string ? value->string : "(item)");
	}
	return false;
}

static bool
has_type(const cJSON *value, const char *type)
{
	if (strcmp(type, "integer") == 0)
		return cJSON_IsNumber(value) && value->valuedouble == floor(value->valuedouble);
	return (strcmp(type, "null") == 0 && cJSON_IsNull(value)) ||
	       (strcmp(type, "string") == 0 && cJSON_IsString(value)) ||
	       (strcmp(type, "number") == 0 && cJSON_IsNumber(value)) ||
	       (strcmp(type, "boolean") == 0 && cJSON_IsBool(value)) ||
	       (strcmp(type, "array") == 0 && cJSON_IsArray(value)) ||
	       (strcmp(type, "object") == 0 && cJSON_IsObject(value));
}

static bool
type_is_allowed(const cJSON *types, const cJSON *value)
{
	const cJSON *type;

	if (cJSON_IsString(types))
		return has_type(value, types->valuestring);
	cJSON_ArrayForEach(type, types)
	{
		if (has_type(value, type->valuestring))
			return true;
	}
	return false;
}

static void
remember(struct validation *validation, const cJSON *property)
{
	for (size_t i = 0; i < validation->nused; i++) {
		if (validation->used[i] == property)
			return;
	}
	if (validation->nused < sizeof(validation->used) / sizeof(validation->used[0]))
		validation->used[validation->nused++] = property;
}

static bool
validate_object(struct validation *validation, const cJSON *schema, const cJSON *value)
{
	const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
	const cJSON *required = cJSON_GetObjectItemCaseSensitive(schema, "required");
	const cJSON *key;

	cJSON_ArrayForEach(key, required)
	{
		if (!cJSON_GetObjectItemCaseSensitive(value, key->valuestring))
			return refuse(validation, "a required key is missing", key);
	}
	cJSON_ArrayForEach(key, value)
	{
		const cJSON *property = cJSON_GetObjectItemCaseSensitive(properties, key->string);

		if (!property)
			property = cJSON_GetObjectItemCaseSensitive(schema, "additionalProperties");
		if (!cJSON_IsObject(property))
			return refuse(validation, "a key is not in the schema", key);
		remember(validation, property);
		if (!validate(validation, property, key))
			return false;
	}
	return true;
}

static const cJSON *
resolve(const struct validation *validation, const cJSON *schema)
{
	const cJSON *ref = cJSON_GetObjectItemCaseSensitive(schema, "$ref");
	const cJSON *defs = cJSON_GetObjectItemCaseSensitive(validation->schema, "$defs");

	return ref ? cJSON_GetObjectItemCaseSensitive(defs, ref->valuestring + strlen("#/$defs/"))
		   : schema;
}

static bool
is_one_of(const cJSON *options, const cJSON *value)
{
	const cJSON *option;

	cJSON_ArrayForEach(option, options)
	{
		if (cJSON_Compare(option, value, true))
			return true;
	}
	return false;
}

static bool
validate(struct validation *validation, const cJSON *schema, const cJSON *value)
{
	schema = resolve(validation, schema);
	const cJSON *any = cJSON_GetObjectItemCaseSensitive(schema, "anyOf");
	const cJSON *types = cJSON_GetObjectItemCaseSensitive(schema, "type");
	const cJSON *options = cJSON_GetObjectItemCaseSensitive(schema, "enum");
	const cJSON *constant = cJSON_GetObjectItemCaseSensitive(schema, "const");
	const cJSON *minimum = cJSON_GetObjectItemCaseSensitive(schema, "minimum");
	const cJSON *items = cJSON_GetObjectItemCaseSensitive(schema, "items");
	const cJSON *item;

	/* Ours is always null, or something else. */
	if (any)
		return cJSON_IsNull(value) ||
		       validate(validation, cJSON_GetArrayItem(any, 1), value);
	if (types && !type_is_allowed(types, value))
		return refuse(validation, "a value has another type", value);
	if (options && !is_one_of(options, value))
		return refuse(validation, "a value is none of those listed", value);
	if (constant && !cJSON_Compare(constant, value, true))
		return refuse(validation, "a value is not the constant", value);
	if (minimum && cJSON_IsNumber(value) && value->valuedouble < minimum->valuedouble)
		return refuse(validation, "a value is too small", value);
	if (cJSON_IsObject(value))
		return validate_object(validation, schema, value);
	if (!items || !cJSON_IsArray(value))
		return true;
	cJSON_ArrayForEach(item, value)
	{
		if (!validate(validation, items, item))
			return false;
	}
	return true;
}

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

static cJSON *
read_schema(void)
{
	struct buf text = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL(
		file_read("harness/output/schema/verdict.schema.json", &text, 1 << 20, &err), 0);
	/* A text without zero bytes. */
	CU_ASSERT_EQUAL(strlen(buf_text(&text)), text.len);
	cJSON *schema = cJSON_ParseWithLength(buf_text(&text), text.len);

	buf_release(&text);
	return schema;
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
the_document_reads_as_agreed(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	output_write(&output_json, &sample.report, &out);
	sample_check_golden("verdict.json", &out);
	sample_release(&sample);
	buf_release(&out);
}

static void
the_document_is_valid_by_its_schema(void)
{
	cJSON *schema = read_schema();
	struct validation validation = {.schema = schema};

	CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
	check_valid(&validation, false);
	check_valid(&validation, true);
	cJSON_Delete(schema);
}

/* Counts the properties of a schema that no document showed, and names them. */
static size_t
count_unused(const struct validation *validation, const cJSON *schema)
{
	const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
	const cJSON *property;
	size_t unused = 0;

	cJSON_ArrayForEach(property, properties)
	{
		bool used = false;

		for (size_t i = 0; i < validation->nused; i++)
			used = used || validation->used[i] == property;
		if (!used)
			printf("no document has the key %s\n", property->string);
		unused += !used + count_unused(validation, property);
	}
	return unused;
}

static void
the_schema_has_no_key_that_no_document_has(void)
{
	cJSON *schema = read_schema();
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
	cJSON *schema = read_schema();
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
	cJSON *schema = read_schema();
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
what_is_not_a_number_is_null(void)
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
		{"the_document_reads_as_agreed", the_document_reads_as_agreed},
		{"the_document_is_valid_by_its_schema", the_document_is_valid_by_its_schema},
		{"the_schema_has_no_key_that_no_document_has",
			the_schema_has_no_key_that_no_document_has},
		{"the_schema_is_closed", the_schema_is_closed},
		{"the_validator_can_refuse", the_validator_can_refuse},
		{"what_is_not_a_number_is_null", what_is_not_a_number_is_null},
		{"a_name_of_64_kib_is_whole", a_name_of_64_kib_is_whole},
		{NULL, NULL},
	};

	unit_suite("output/json", cases);
}
