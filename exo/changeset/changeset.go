// Package changeset has the change set as data: what a run would do if it ended now, for a person to read before it happens, and for a second run to
// be compared with. (After plan and apply of Terraform.) Stores describe their part in it: see [Lister].
package changeset

import "context"

// Lister is what a unit of work lists as its changes (see exo.ChangeLister), if a person can be asked to agree to them.
type Lister interface {
	// Asks returns the rules of the host that concern what was changed.
	Asks() []Ask
	// Changes returns the store's part of the change set. It is called while the unit is open, and only if a person is to be asked.
	Changes(context.Context) (Part, error)
}

// Part is what would change in one store.
type Part struct {
	Rows   []Row    `json:"rows,omitempty"`   // as the facets show them
	More   int64    `json:"more,omitempty"`   // further changes of rows that Rows does not have
	Also   []string `json:"also,omitempty"`   // in words: what else changes, by cascades and triggers
	Known  []byte   `json:"known,omitempty"`  // all that the run determines, in one encoding: two runs with equal bytes do the same
	New    []string `json:"new,omitempty"`    // the keys that the database chose for new rows, and that the program can read. Another run gets others
	Grants []string `json:"grants,omitempty"` // the names of the grants by which the program changed it
	Copies string   `json:"copies,omitempty"` // where a value has a key of New, so that another run can't do the same; for the host. "": nowhere
	Unfit  string   `json:"unfit,omitempty"`  // why not all of it can be shown, for the host; "": it can
}

// Row is one row before and after.
type Row struct {
	Table string `json:"table"`
	Kind  Kind   `json:"kind"`
	Key   string `json:"key"`
	Cells []Cell `json:"cells"`           // the columns that the facet shows
	Other bool   `json:"other,omitempty"` // a column changes that the facet does not show
}

// Kind is what happens to a row.
type Kind string

// The kinds.
const (
	Added   Kind = "added"
	Changed Kind = "changed"
	Deleted Kind = "deleted"
)

// Cell is one value before and after, as text.
type Cell struct {
	Name    string   `json:"name"`
	Before  *string  `json:"before,omitempty"`   // nil: the row is new
	After   *string  `json:"after,omitempty"`    // nil: the row is deleted
	WasNull bool     `json:"was_null,omitempty"` // Before is NULL, and no text like "null"
	IsNull  bool     `json:"is_null,omitempty"`  // After is
	Label   []string `json:"label,omitempty"`    // whose secret it is
	New     bool     `json:"new,omitempty"`      // After is chosen by the database, and known after the change alone
}

// Changed reports whether the cell differs.
func (c Cell) Changed() bool {
	return (c.Before == nil) != (c.After == nil) || c.Before != nil && *c.Before != *c.After || c.WasNull != c.IsNull || c.New
}

// Ask is a rule of the host that wants a person to agree.
type Ask struct {
	Rule  string `json:"rule"`            // in words, for the person: "update of amount in deals"
	Count string `json:"count,omitempty"` // rows of a day are added up under this name; "": the rule asks in any case
	Rows  int64  `json:"rows,omitempty"`
	Over  int64  `json:"over,omitempty"` // it asks if more rows than these were changed in a day, with Rows
	Who   Who    `json:"who"`
}

// Who says which people may agree to a change: By can exclude the user of the program, and Least is the weakest way in which they must be known.
type Who struct {
	By    By    `json:"by,omitempty"`
	Least Least `json:"least,omitempty"`
}

// By says whether the one for whom the program ran may agree.
type By string

// The values of By. The zero By is Self at a terminal and by a link, and Other on a page whose proxy names its reader.
const (
	Self  By = "self"
	Other By = "other"
)

// Least is the weakest way to be known that a rule takes. The zero Least takes a terminal.
type Least string

// Page takes only a person whom the page knows: by the host's proxy, or by a link of one use.
const Page Least = "page"

// Message is a held effect: a mail, a payment.
type Message struct {
	Op     string   `json:"op"`
	Text   string   `json:"text"` // the whole message, as a program could write it
	Label  []string `json:"label,omitempty"`
	Sealed bool     `json:"sealed,omitempty"` // it has values that its program may not read; Text names them only
	Rule   string   `json:"rule,omitempty"`   // the rule that wants a person to agree to it; "": none does
	Who    Who      `json:"who"`
	Known  []byte   `json:"known,omitempty"` // its canonical encoding, with its sealed values opened
	Unfit  string   `json:"unfit,omitempty"` // why nobody can agree to it, for the author of the program; ""
}

// Set is all that a run would do.
type Set struct {
	Parts    []Part    `json:"parts,omitempty"`
	Messages []Message `json:"messages,omitempty"`
}

// Named returns a key that a text has as a word of its own; "" if it has none. Keys of one or two characters are not looked for, since they are in many
// texts by chance: if they differ when the change is applied, it is not applied.
func Named(text string, keys map[string]bool) string {
	if len(keys) == 0 {
		return ""
	}
	word := func(b byte) bool {
		return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
	}
	for _, part := range []func(byte) bool{word, func(b byte) bool { return b == '-' || word(b) }} { // a UUID is one word with its dashes
		for i := 0; i < len(text); i++ {
			from := i
			for i < len(text) && part(text[i]) {
				i++
			}
			if i-from >= 3 && keys[text[from:i]] {
				return text[from:i]
			}
		}
	}
	return ""
}
