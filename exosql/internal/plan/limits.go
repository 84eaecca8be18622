package plan

// MaxNeedle bounds a text that is looked for, in bytes. If the text comes from a row and is longer, the
// condition is NULL. PostgreSQL may take time in the product of both lengths, and nothing stops it
// within a row. sqlast.Short has the same number.
const MaxNeedle = 200

// MaxBrief bounds a stored text that an operator makes larger, in bytes. If the text is longer, the
// operator's result is NULL.
const MaxBrief = 256 << 10
