package plan

// MaxNeedle bounds a text that is looked for, in bytes; a longer text of a row has no
// value then. PostgreSQL takes the product of both lengths at worst, and nothing stops it
// within a row. sqlast.Short has the number, too.
const MaxNeedle = 200

// MaxBrief bounds a text as it is stored, to be made larger, in bytes; a longer one has no
// value then.
const MaxBrief = 256 << 10
