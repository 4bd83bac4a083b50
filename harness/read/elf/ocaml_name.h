/*
 * Names of OCaml's native compiler: "camlStdlib__List__map_253" is Stdlib.List.map.
 *
 * Source: OCaml's asmcomp/compilenv.ml and asmcomp/emitaux.ml.
 */
#ifndef ELF_OCAML_NAME_H
#define ELF_OCAML_NAME_H

/*
 * The function's name with its modules, without the number that distinguishes functions of one name
 * and changes with whatever stands before it; of an anonymous one, "fun_253", it is the name. NULL
 * where it is no name of OCaml; free() it.
 */
char *ocaml_name(const char *name);

#endif
