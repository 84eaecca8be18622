package codemode

// Tokens estimates the most tokens that a text costs a model. It counts two tokens
// for five bytes of ASCII, and one for two bytes of anything else. Three tokenizers
// of models needed fewer for declarations, for most by a third (TestTokens).
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
	Description  int             // all that the model reads about the tool, without its schemas
	Declarations int             // what was granted, a part of Description: tables and services
	Interfaces   []InterfaceSize // the cost of each table and service
	// Searched reports whether the tables would cost more than
	// Options.DeclarationTokens. Then the description does not have
	// the interfaces: a program finds them with search and describe.
	Searched bool
}

// InterfaceSize is the cost of declaring one table or service. A table is its row and its query.
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
