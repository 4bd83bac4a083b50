/* Relative paths, for links between files that are moved together. */
#ifndef BASE_RELATIVE_PATH_H
#define BASE_RELATIVE_PATH_H

/* From the absolute folder `from` to the absolute path `to`, both without links, "." and "..":
 * "../reports/x", "." if they are the same. free() it. */
char *relative_path(const char *from, const char *to);

#endif
