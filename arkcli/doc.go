// Package arkcli is all that llm-bench knows of Ark CLI: where the program
// lies, how it is run, what its output means, and what mends each of its
// faults.
//
// Ark CLI changes from version to version and is watched by nobody here, so
// its output is read as a loose contract: fields are looked up by name in any
// case and with or without an envelope, unknown ones are ignored, and a shape
// that cannot be understood ends in an [*Error] with advice, never in a guess.
//
// Three rules hold for every call. Calls of one [CLI] never overlap, because
// two Ark CLI processes fail each other while they renew the same login. The
// child never inherits ARK_* variables, which would silently change the
// profile, the address or the key. And the key appears only in a
// [bench.Secret]: not in an argument, an error or a record.
package arkcli
