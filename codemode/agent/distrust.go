package agent

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
)

// Distrust says how long a chat is wary of what outsiders wrote. A model may follow an instruction that it read in a
// comment, in the program that read it or in a later one. The first may never cause an effect that doesn't admit the
// tag; for the later ones the host decides: a user who says "answer her" may mean just what was read.
type Distrust uint8

const (
	DistrustAnswer  Distrust = iota // until the user speaks again
	DistrustChat                    // for the rest of the chat
	DistrustNothing                 // never: each program is judged by what it reads itself
)

var distrusts = []string{"answer", "chat", "nothing"}

// UnmarshalText reads one of answer, chat and nothing: for flags and files.
func (d *Distrust) UnmarshalText(text []byte) error {
	for i, word := range distrusts {
		if string(text) == word {
			*d = Distrust(i)
			return nil
		}
	}
	return fmt.Errorf("want %s, not %q", strings.Join(distrusts, ", "), text)
}

// MarshalText is the word that UnmarshalText reads.
func (d Distrust) MarshalText() ([]byte, error) {
	return []byte(distrusts[min(int(d), len(distrusts)-1)]), nil
}

// label is that of the chat: what programs read whose results it holds. The results from before the last question count as
// d says, and secrets for good, since a model writes what it knows into a program as plain text.
func (c *Chat) label(d Distrust) (l value.Label) {
	wary := d != DistrustNothing
	for i := len(c.Messages) - 1; i >= 0; i-- {
		m := &c.Messages[i]
		if m.Role == RoleUser && !m.Notice && d != DistrustChat {
			wary = false
		}
		for _, r := range m.Results {
			read := value.NewLabel(r.Label...)
			if l = l.Join(read.Secrecy()); wary {
				l = l.Join(read.Integrity())
			}
		}
	}
	return l
}
