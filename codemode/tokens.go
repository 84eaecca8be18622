package codemode

// Tokens is about how many tokens a text costs a model, and never fewer: the
// tokenizers of models differ, and none of them is kept here. A third of its
// ASCII bytes, and half of the others (TestTokens holds it against true counts).
func Tokens(text string) int {
	wide := 0
	for i := range len(text) {
		if text[i] >= 0x80 {
			wide++
		}
	}
	const ascii, other = 3, 2 // bytes for each token
	return (len(text)-wide+ascii-1)/ascii + (wide+other-1)/other
}

// Size is how much of a model's context a tool takes, in tokens (see Tokens).
type Size struct {
	Description  int             // all that the model reads of the tool, its schemas apart
	Declarations int             // of that: the declarations
	Interfaces   []InterfaceSize // what each declaration costs in which a table or a service is declared
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
	if t == nil || t.eval == nil {
		return Size{}
	}
	s := t.size
	s.Interfaces = append([]InterfaceSize(nil), s.Interfaces...)
	return s
}
