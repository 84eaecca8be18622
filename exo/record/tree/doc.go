// Package tree keeps a Merkle log in a folder. Who lacks its signing key can't change, drop or reorder signed entries
// unseen, nor, if there is a witness, cut the end. Each run can be proved alone, and its contents erased. It knows nothing of
// programs: package record says what an entry reports, and why it is kept so.
//
// A folder has log.json, which Create wrote (see [About]), a lock, and segments: files of lines of JSON, each named by the
// number of its first entry. A line is an entry or a checkpoint:
//
//	{"leaf":{…},"key":"…","sealed":"…"}
//	{"checkpoint":"ORIGIN\nSIZE\nROOT\nDIGEST OF log.json\n\n— ORIGIN SIGNATURE\n","subtrees":["…"]}
//
// The leaf is what the tree hashes, byte by byte (RFC 6962). Its fields stand in the order of [Leaf]; those that
// are zero are left out. It has IDs, steps, times, numbers of calls and of changed stores, effects, states,
// whether there was an error, and digests. All else, which a program or a person wrote, is in sealed: encrypted with the data key of its run, which is in key, encrypted for the log's age recipients. So overwriting
// the key erases what it sealed, and no hash changes.
//
// A checkpoint is a signed note of C2SP (c2sp.org/tlog-checkpoint). One begins each segment. One precedes each sync, and stands
// after 512 entries or a second. subtrees are those stored hashes of package tlog that the root is made of.
package tree
