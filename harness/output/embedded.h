/*
 * Text files that the program carries, assembled in by page.S as terminated strings.
 */
#ifndef OUTPUT_EMBEDDED_H
#define OUTPUT_EMBEDDED_H

extern const char output_page_css[];
extern const char output_page_js[];

#endif
