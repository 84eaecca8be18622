// Package tree keeps a Merkle log in a folder. If an attacker without the signing key changes, drops or reorders signed entries, Verify detects
// it. With a witness, Verify also detects that the end was cut off. Each run can be proved alone, and its contents can be erased. Package
// record defines what an entry reports.
//
// The folder has log.json, which Create writes (see [About]), a lock, and segments. A segment is a file of lines of JSON, named by the number
// of its first entry. A line is an entry or a checkpoint:
//
//	{"leaf":{…},"key":"…","sealed":"…"}
//	{"checkpoint":"ORIGIN\nSIZE\nROOT\nDIGEST OF log.json\n\n— ORIGIN SIGNATURE\n","subtrees":["…"]}
//
// The tree hashes the leaf, byte by byte (RFC 6962). The leaf's fields are in the order of [Leaf]; fields that are zero are left out. They are
// IDs, steps, times, numbers of calls and of changed stores, effects, states, whether there was an error, and digests. Everything that a
// program or a person wrote is in sealed, encrypted with the data key of the run. The data key is in key, encrypted for the log's age
// recipients. So overwriting key erases what is in sealed, and no hash changes.
//
// A checkpoint is a signed note of C2SP (c2sp.org/tlog-checkpoint). Each segment begins with one. Another follows after 512 entries, after a
// second, and before each sync with unsigned entries. subtrees has the stored hashes of package tlog that the root is computed from.
package tree
