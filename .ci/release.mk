# What a release has: `make static`, `make deb`. Included by the top Makefile.

# The static program runs on every Linux of its architecture, in an empty folder, too. It is not
# position-independent, since capstone's tables would be relocated at each start. Where the libraries
# are loaded at run time it is compiled differently: a static program cannot load any.
STATIC := build/static
STATIC_LIBS := -ldw -lelf -lyaml -lmd -lzstd -liberty -lcapstone -lz -llzma -lbz2 -lm -pthread
LOADING := $(shell grep -l '"base/library.h"' harness/*/*.c)
LOADING_OBJECTS := $(LOADING:%.c=$(STATIC)/%.o)

# Debian has no static library of cJSON; `.ci/deps static` fetches its source package, of the version
# that is installed. Where there is a library, it is taken.
CJSON_SOURCE := build/source/cjson/cJSON.c
CJSON = $(or $(filter /%,$(shell $(CC) -print-file-name=libcjson.a)),$(STATIC)/cJSON.o)

build/packages-static: .ci/missing
	@.ci/missing static '$(CC)'
	@mkdir -p build
	@touch $@

.PHONY: static
static: $(STATIC)/profile_run ## build one binary that needs no library: build/static/profile_run

$(LOADING_OBJECTS): $(STATIC)/%.o: %.c | build/packages-static
	@mkdir -p $(@D)
	$(call say,CC   $< (static))
	$(Q)$(CC) $(CPPFLAGS) -DPROFILE_RUN_STATIC $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(STATIC)/cJSON.o: $(CJSON_SOURCE)
	@mkdir -p $(@D)
	$(call say,CC   $<)
	$(Q)$(CC) $(CFLAGS_ALL) -w -c -o $@ $<

# The map says what was linked. The symbols go into a file of their own, which gdb finds beside the
# program.
$(STATIC)/linked: $(filter-out $(LOADING:%.c=$(BUILD)/%.o),$(OBJECTS)) $(BUILD)/harness/main.o \
		$(LOADING_OBJECTS) $(CJSON) | build/packages-static
	$(call say,LINK $@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -static -no-pie -Wl,--build-id=sha1 -Wl,-Map=$(STATIC)/map \
		-o $@ $^ $(STATIC_LIBS)

$(STATIC)/profile_run: $(STATIC)/linked
	$(Q)objcopy --only-keep-debug $< $@.debug
	$(Q)objcopy --strip-all --add-gnu-debuglink=$@.debug $< $@

-include $(LOADING_OBJECTS:.o=.d)
