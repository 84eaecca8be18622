package plan

// What an engine does with the texts of one row, nothing can stop: not a deadline, not
// the host's switch. To look for one text in another takes PostgreSQL the product of
// their lengths at worst, and a text that is put together is copied and read by each
// operator. So what is looked for is short, and what a statement does with texts of
// one row has a bound. A stored text that is only compared or searched has none: it is
// the host's.
// maxNeedle bounds a text that is looked for, in bytes; a longer text of a row has no
// value then. Also in sqlast.Short.
const MaxNeedle = 200

// Texts that are made larger are bounded as numbers are, see digits: an engine
// that runs out of memory would show that some row's text is long. The bound is in bytes.

// MaxBrief bounds a text as it is stored, to be made larger, in bytes; a longer one has no
// value then.
const MaxBrief = 256 << 10
