package sqlite

import (
	"database/sql/driver"
	"sync/atomic"

	"github.com/exoagent/exoagent/exosql/internal/search"
)

// defineSearch defines a function whose arguments are the text to look for and then the texts of a row. A cell
// that is no text counts as an empty one.
func (d Definer) defineSearch(name string, answer func(q *search.Query, texts ...string) any) {
	var last atomic.Pointer[sought] // one statement calls the function with the same text for each of its rows
	d.define(name, -1, func(args []driver.Value) any {
		if len(args) == 0 {
			return nil
		}
		text, ok := args[0].(string)
		if !ok {
			return nil
		}
		s := last.Load()
		if s == nil || s.text != text {
			q, err := search.Parse(text)
			if err != nil {
				return err // package plan has already refused an invalid text
			}
			s = &sought{text, q}
			last.Store(s)
		}
		texts := make([]string, len(args)-1)
		for i, a := range args[1:] {
			texts[i], _ = a.(string)
		}
		return answer(s.query, texts...)
	})
}

type sought struct {
	text  string
	query *search.Query
}
