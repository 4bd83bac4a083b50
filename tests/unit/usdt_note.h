/*
 * A USDT probe in a test's program, as <sys/sdt.h> writes it: in assembly, where its place is.
 */
#ifndef UNIT_USDT_NOTE_H
#define UNIT_USDT_NOTE_H

/* `semaphore` is a symbol, or "0". */
#define USDT_NOTE(provider, name, semaphore)         \
	"990: nop\n"                                 \
	".pushsection .note.stapsdt,\"\",\"note\"\n" \
	".balign 4\n"                                \
	".4byte 992f-991f, 994f-993f, 3\n"           \
	"991: .asciz \"stapsdt\"\n"                  \
	"992: .balign 4\n"                           \
	"993: .8byte 990b\n"                         \
	".8byte 0\n"                                 \
	".8byte " semaphore "\n"                     \
	".asciz \"" provider "\"\n"                  \
	".asciz \"" name "\"\n"                      \
	".asciz \"\"\n"                              \
	"994: .balign 4\n"                           \
	".popsection\n"

#endif
