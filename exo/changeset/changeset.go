// Package changeset has the change set: a list of what a run would change if it ended now. A person reads it before anything happens, and a second
// run is compared with it, like plan and apply of Terraform. Each store describes its own part ([Lister]).
package changeset

import "context"

// Lister is the list of changes that a unit of work gives (exo.ChangeLister), if a person may be asked to agree to them.
type Lister interface {
	// Asks returns the host's rules that apply to the changes.
	Asks() []Ask
	// Changes returns the store's part of the change set. It is called while the unit is open, and only if a person must be asked.
	Changes(context.Context) (Part, error)
}

// Part lists what would change in one store.
type Part struct {
	Rows   []Row    `json:"rows,omitempty"`   // the changed rows, as facets show them
	More   int64    `json:"more,omitempty"`   // how many more rows would change than Rows has
	Also   []string `json:"also,omitempty"`   // other changes in words, made by cascades and triggers
	Known  []byte   `json:"known,omitempty"`  // everything that the run determines, in one encoding: two runs with equal bytes do the same
	New    []string `json:"new,omitempty"`    // the keys that the database chose for new rows and that the program can read; a second run gets other keys
	Grants []string `json:"grants,omitempty"` // the names of the grants that the program used for the changes
	Copies string   `json:"copies,omitempty"` // for the host: the place of a value that contains a key of New, since another run can't write the same value; "": there is none
	Unfit  string   `json:"unfit,omitempty"`  // for the host: why the changes can't all be shown; "": they can
}

// Row is a row before and after its change.
type Row struct {
	Table string `json:"table"`
	Kind  Kind   `json:"kind"`
	Key   string `json:"key"`
	Cells []Cell `json:"cells"`           // the cells of the columns that the facet shows
	Other bool   `json:"other,omitempty"` // a column that the facet does not show changes, too
}

// Kind is what happens to a row.
type Kind string

// These are the kinds of change to a row.
const (
	Added   Kind = "added"
	Changed Kind = "changed"
	Deleted Kind = "deleted"
)

// Cell is a value before and after its change, as text.
type Cell struct {
	Name    string   `json:"name"`
	Before  *string  `json:"before,omitempty"`   // nil: the row is new
	After   *string  `json:"after,omitempty"`    // nil: the row is deleted
	WasNull bool     `json:"was_null,omitempty"` // Before is NULL, not a text like "null"
	IsNull  bool     `json:"is_null,omitempty"`  // After is NULL, not a text like "null"
	Label   []string `json:"label,omitempty"`    // the tags of the value's label
	New     bool     `json:"new,omitempty"`      // the database chooses After, so it is known only after the change
}

// Changed reports whether Before and After differ.
func (c Cell) Changed() bool {
	return (c.Before == nil) != (c.After == nil) || c.Before != nil && *c.Before != *c.After || c.WasNull != c.IsNull || c.New
}

// Ask is a rule of the host that a person must agree to some changes.
type Ask struct {
	Rule  string `json:"rule"`            // the rule in words, for the person: "update of amount in deals"
	Count string `json:"count,omitempty"` // a name under which the changed rows of a day are counted; "": the rule asks for every change
	Rows  int64  `json:"rows,omitempty"`
	Over  int64  `json:"over,omitempty"` // with Count: the rule asks if more than this many rows were changed in a day, including Rows
	Who   Who    `json:"who"`
}

// Who describes which people may agree to a change. By may exclude the user of the program, and Least is the weakest accepted proof of who they are.
type Who struct {
	By    By    `json:"by,omitempty"`
	Least Least `json:"least,omitempty"`
}

// By is whether the user for whom the program ran may agree.
type By string

// These are the values of By. The zero By means Self at a terminal and for a link, and Other on a page with a proxy that names its reader.
const (
	Self  By = "self"
	Other By = "other"
)

// Least is the weakest proof of identity that a rule accepts. The zero Least accepts a terminal.
type Least string

// Page accepts only a person that the page can identify: by the host's proxy, or by a link that works once.
const Page Least = "page"

// Message is a held effect, such as a mail or a payment.
type Message struct {
	Op     string   `json:"op"`
	Text   string   `json:"text"` // the whole message, written as in a program
	Label  []string `json:"label,omitempty"`
	Sealed bool     `json:"sealed,omitempty"` // the message has values that its program may not read; Text only names them
	Rule   string   `json:"rule,omitempty"`   // the rule that requires a person's agreement; "": none does
	Who    Who      `json:"who"`
	Known  []byte   `json:"known,omitempty"` // the canonical encoding of the message, with its sealed values opened
	Unfit  string   `json:"unfit,omitempty"` // for the program's author: why no person can agree to the message; "": one can
}

// Set has everything that a run would do.
type Set struct {
	Parts    []Part    `json:"parts,omitempty"`
	Messages []Message `json:"messages,omitempty"`
}

// Named returns a key that occurs in a text as a whole word, or "". It ignores keys of one or two characters, which many texts contain by chance: if
// such a key differs when the change is applied, the change is refused.
func Named(text string, keys map[string]bool) string {
	if len(keys) == 0 {
		return ""
	}
	word := func(b byte) bool {
		return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
	}
	for _, part := range []func(byte) bool{word, func(b byte) bool { return b == '-' || word(b) }} { // a UUID with its dashes is one word, so split with and without dashes
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
