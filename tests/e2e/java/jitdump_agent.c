/*
 * An agent of the Java virtual machine that writes what it compiles into a jitdump in the working
 * folder, as the one of perf does (libperf-jvmti.so), which Debian has no package of.
 *
 * Source: tools/perf/Documentation/jitdump-specification.txt, and the JVM tool interface.
 */
#include <jvmti.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct header {
	uint32_t magic, version, bytes, machine, padding, pid;
	uint64_t time, flags;
};

struct load {
	uint32_t id, bytes;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, address, code_bytes, number;
};

static FILE *dump;

static uint64_t
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void
write_code(const char *name, const void *code, jint bytes)
{
	static uint64_t number;
	struct load load = {
		.bytes = (uint32_t)(sizeof(load) + strlen(name) + 1 + (size_t)bytes),
		.time = now(),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)gettid(),
		.vma = (uint64_t)(uintptr_t)code,
		.address = (uint64_t)(uintptr_t)code,
		.code_bytes = (uint64_t)bytes,
	};

	flockfile(dump);
	load.number = ++number;
	fwrite(&load, sizeof(load), 1, dump);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(code, (size_t)bytes, 1, dump);
	fflush(dump);
	funlockfile(dump);
}

static void JNICALL
on_method(jvmtiEnv *jvm, jmethodID method, jint bytes, const void *code, jint map_length,
	const jvmtiAddrLocationMap *map, const void *info)
{
	char *class_name, *name, *descriptor;
	char text[4096];
	jclass class;

	(void)map_length, (void)map, (void)info;
	if ((*jvm)->GetMethodDeclaringClass(jvm, method, &class) ||
		(*jvm)->GetClassSignature(jvm, class, &class_name, NULL) ||
		(*jvm)->GetMethodName(jvm, method, &name, &descriptor, NULL))
		return;
	snprintf(text, sizeof(text), "%s%s%s", class_name, name, descriptor);
	write_code(text, code, bytes);
	(*jvm)->Deallocate(jvm, (unsigned char *)class_name);
	(*jvm)->Deallocate(jvm, (unsigned char *)name);
	(*jvm)->Deallocate(jvm, (unsigned char *)descriptor);
}

static void JNICALL
on_code(jvmtiEnv *jvm, const char *name, const void *code, jint bytes)
{
	(void)jvm;
	write_code(name, code, bytes);
}

JNIEXPORT jint JNICALL
Agent_OnLoad(JavaVM *machine, char *options, void *reserved)
{
	struct header header = {.magic = 0x4A695444,
		.version = 1,
		.bytes = sizeof(header),
		.pid = (uint32_t)getpid(),
		.time = now()};
	jvmtiCapabilities wanted = {.can_generate_compiled_method_load_events = 1};
	jvmtiEventCallbacks calls = {
		.CompiledMethodLoad = on_method, .DynamicCodeGenerated = on_code};
	char path[64];
	jvmtiEnv *jvm;

	(void)options, (void)reserved;
	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	dump = fopen(path, "w+");
	/* What a capture sees of the dump is that it is mapped. */
	if (!dump || fwrite(&header, sizeof(header), 1, dump) != 1 || fflush(dump) ||
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		return JNI_ERR;
	if ((*machine)->GetEnv(machine, (void **)&jvm, JVMTI_VERSION_1_0) ||
		(*jvm)->AddCapabilities(jvm, &wanted) ||
		(*jvm)->SetEventCallbacks(jvm, &calls, sizeof(calls)) ||
		(*jvm)->SetEventNotificationMode(
			jvm, JVMTI_ENABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD, NULL) ||
		(*jvm)->SetEventNotificationMode(
			jvm, JVMTI_ENABLE, JVMTI_EVENT_DYNAMIC_CODE_GENERATED, NULL))
		return JNI_ERR;
	return JNI_OK;
}
