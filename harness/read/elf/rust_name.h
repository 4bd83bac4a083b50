/*
 * Mangled names of Rust, scheme v0, as far as it must be known how long libiberty needs for them.
 */
#ifndef ELF_RUST_NAME_H
#define ELF_RUST_NAME_H

#include <stdbool.h>

/*
 * Whether a name, "_R..", can be given to the library. It counts the lifetimes of each binder, a
 * number of up to 2^64, one by one, and parts of a name are not printed. False, too, for a name
 * that does not follow the scheme.
 */
bool rust_name_is_bounded(const char *mangled);

#endif
