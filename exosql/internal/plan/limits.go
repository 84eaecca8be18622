package plan

// MaxNeedle bounds a text that is looked for, in bytes. With a longer text from a row, the result
// is NULL. PostgreSQL may take time in the product of both lengths, and nothing stops it within a
// row. sqlast.Short has the same number.
const MaxNeedle = 200

// MaxBrief bounds a stored text that an operator makes larger, in bytes. With a longer one, the
// result is NULL.
const MaxBrief = 256 << 10
