package codemode

// Tokens is how many tokens a text costs a model at most. The tokenizers of models
// differ, and none of them is kept here: it is two tokens for five bytes of ASCII and
// one for two bytes of anything else, which was more than each of three tokenizers
// needed for declarations, by a third for most (TestTokens).
func Tokens(text string) int {
	wide := 0
	for i := range len(text) {
		if text[i] >= 0x80 {
			wide++
		}
	}
	return (2*(len(text)-wide)+4)/5 + (wide+1)/2
}

// Size is how much of a model's context a tool takes, in tokens (see Tokens).
type Size struct {
	Description  int             // all that the model reads of the tool, its schemas apart
	Declarations int             // the part of Description that is declarations
	Interfaces   []InterfaceSize // the cost of the declaration of each table and service
	// Searched says that the declarations would cost more than Options.DeclarationTokens.
	// The interfaces are not part of the description then; a program finds them with
	// search and describe.
	Searched bool
}

// InterfaceSize is what the declaration of one table or service costs: its row
// and the query of it.
type InterfaceSize struct {
	Name   string
	Tokens int
}

// Size says how much of a model's context the tool takes.
func (t *Tool) Size() Size {
	if t == nil || t.runner == nil {
		return Size{}
	}
	s := t.size
	s.Interfaces = append([]InterfaceSize(nil), s.Interfaces...)
	return s
}
