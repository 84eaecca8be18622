package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Declassify makes a method of a function that reveals a little of values with these tags: the domain of an address, whether two amounts
// are equal. Its argument may contain sealed values. Only f sees their content, and the program gets the answer without the tags.
//
// The answer has few possible values: true or false, a text that OneOf lists, a whole number within Between, or a struct of these. If f
// fails, panics, or answers anything else, the program gets null without an error text, which only the record has. Each call takes the
// bits of the answer from exo.Config.Bits, the budget of the principal's day.
//
// f must depend on its argument alone, and must change nothing. Its duration should not depend on secrets, since a program may measure it.
func Declassify[In, Out any](name, doc string, f func(ctx context.Context, in In) (Out, error), tags value.Label) Operation {
	op := Read(name, doc, f)
	op.declassifies = &tags
	return op
}

// limited describes one call of OneOf or Between.
type limited struct {
	fields   []string // the limited fields; none: the whole result
	values   []string // for texts: the allowed values
	min, max int64    // for whole numbers: the allowed range
}

// OneOf lists all texts that a Declassify may answer, or that these fields of its answer may have. "address.country" names a field within a field.
func (op Operation) OneOf(values []string, fields ...string) Operation {
	op.ranges = append(slices.Clip(op.ranges), limited{fields: fields, values: slices.Clone(values)})
	return op
}

// Between sets the least and the largest whole number that a Declassify may answer, or that these fields of its answer may have.
func (op Operation) Between(least, largest int64, fields ...string) Operation {
	op.ranges = append(slices.Clip(op.ranges), limited{fields: fields, min: least, max: largest})
	return op
}

// declassifier completes m, which has a result of type t, if the operation declassifies. The gate refuses a result without bounds.
func (op *Operation) declassifier(m *message.Method, t *message.Type) error {
	switch {
	case op.declassifies == nil && len(op.ranges) > 0:
		return errors.New("OneOf and Between are only for a method made with Declassify")
	case op.declassifies == nil:
		return nil
	case op.declassifies.Empty():
		return errors.New("Declassify got no tag: pass the tags, or use Read for values that are not sealed")
	case len(op.labelled) > 0:
		return errors.New("the answer of a Declassify can't be labelled, since it is revealed")
	case op.object():
		return errors.New("a Declassify can't answer with an object: nothing would limit what the object reveals")
	}
	for _, r := range op.ranges {
		if len(r.fields) == 0 {
			r.fields = []string{""}
		}
		for _, f := range r.fields {
			if err := r.set(t, f); err != nil {
				return err
			}
		}
	}
	t.Null, m.Declassifies = true, *op.declassifies
	return nil
}

// set limits the field of t at path, or t itself if path is "".
func (r *limited) set(t *message.Type, path string) error {
	at := t
	if path != "" {
		for name := range strings.SplitSeq(path, ".") {
			if at = at.Field(name); at == nil {
				return fmt.Errorf("the result has no field %q, which OneOf or Between names", path)
			}
		}
	}
	switch {
	case at.Name == value.TypeText && len(r.values) > 0:
		at.Enum = r.values
	case at.Name == value.TypeInt && r.min < r.max:
		at.Min, at.Max = r.min, r.max
	default:
		return fmt.Errorf("%q of the result is %s: OneOf is for text and needs a value, and Between is for whole numbers, from the least to the largest", path, at)
	}
	return nil
}
