/*
 * Files that the program carries, assembled in by page.S; each ends where NAME_end begins.
 */
#ifndef OUTPUT_EMBEDDED_H
#define OUTPUT_EMBEDDED_H

extern const char output_schema_data[];
extern const char output_schema_data_end[];
extern const char output_page_css[];
extern const char output_page_css_end[];
extern const char output_page_js[];
extern const char output_page_js_end[];

#endif
