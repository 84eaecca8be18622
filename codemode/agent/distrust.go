package agent

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
)

// Distrust is how long outsiders' words count in a chat. A model may follow an instruction that it read in a comment, even in
// a later program. The program that read the comment may never cause an effect that doesn't admit value.Untrusted. For later
// programs the host decides, because a user who says "answer her" may mean the comment.
type Distrust uint8

const (
	DistrustAnswer  Distrust = iota // outsiders' words count until the user speaks again
	DistrustChat                    // outsiders' words count for the rest of the chat
	DistrustNothing                 // outsiders' words count only in the program that reads them
)

var distrusts = []string{"answer", "chat", "nothing"}

// UnmarshalText reads one of the words answer, chat and nothing, for flags and files.
func (d *Distrust) UnmarshalText(text []byte) error {
	for i, word := range distrusts {
		if string(text) == word {
			*d = Distrust(i)
			return nil
		}
	}
	return fmt.Errorf("%q is none of the values: write one of %s", text, strings.Join(distrusts, ", "))
}

// MarshalText returns the word that UnmarshalText reads.
func (d Distrust) MarshalText() ([]byte, error) {
	return []byte(distrusts[min(int(d), len(distrusts)-1)]), nil
}

// label returns the label of the chat: it joins the labels of its results. For results before the last question, d decides
// whether outsiders' words count. Secrets always count, because a model can write what it knows into a program as plain text.
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
