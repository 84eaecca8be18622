package codemode

// Tokens estimates the most tokens that a text costs a model. It counts two tokens for five bytes of ASCII, and one for two bytes of anything else.
// For declarations, three tokenizers of models needed fewer tokens than this estimate, mostly a third fewer (TestTokens).
func Tokens(text string) int {
	wide := 0
	for i := range len(text) {
		if text[i] >= 0x80 {
			wide++
		}
	}
	return (2*(len(text)-wide)+4)/5 + (wide+1)/2
}

// Size is the part of a model's context that a tool takes, in tokens (see Tokens).
type Size struct {
	Description  int             // tokens of everything that the model reads about the tool, except its schemas
	Declarations int             // tokens of the granted tables and services, which are a part of Description
	Interfaces   []InterfaceSize // the size of each table and service
	// Searched reports whether the tables would cost more than Options.DeclarationTokens. Then the
	// description leaves out the interfaces, and a program finds them with search and describe.
	Searched bool
}

// InterfaceSize is the size of the declaration of one table, with its row and its query, or of one service.
type InterfaceSize struct {
	Name   string
	Tokens int
}

// Size returns the part of a model's context that the tool takes.
func (t *Tool) Size() Size {
	if t == nil || t.runner == nil {
		return Size{}
	}
	s := t.size
	s.Interfaces = append([]InterfaceSize(nil), s.Interfaces...)
	return s
}
