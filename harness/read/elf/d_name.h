/*
 * Names of D, as libiberty's demangler prints them.
 *
 * Source: D language specification, "Application Binary Interface", section "Name Mangling".
 */
#ifndef ELF_D_NAME_H
#define ELF_D_NAME_H

#include "base/allowance.h"

/*
 * The function's name with its scopes and template arguments, without parameters:
 * "_D3app__T4addtTdZQiFdiZd" gives "app.addt!(double).addt". NULL where it is no name of D, or what
 * its references repeat is too long; free() it. The work is taken from `allowance`.
 */
char *d_name(const char *name, struct allowance *allowance);

#endif
