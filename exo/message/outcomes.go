package message

// This file counts how much a declassifier can reveal, and restricts its replies to that.

import (
	"errors"
	"fmt"
	"github.com/exoagent/exoagent/exo/value"
	"math/bits"
	"slices"
)

// maxBits is how many bits one call may reveal.
const (
	maxBits     = 32
	maxOutcomes = 1 << maxBits
)

var errOutcomes = fmt.Errorf("the type has more possible values than %d bits can express: declare fewer", maxBits)

// Bits returns the most bits that one call of a declassifier reveals: the logarithm of the number of its outcomes,
// including null. It is 0 for every other method. It depends only on the type of the result, which no policy can change.
func (m *Method) Bits() int {
	if m.Declassifies.Empty() || m.Result == nil {
		return 0
	}
	n, err := m.Result.Con.outcomes()
	if err != nil {
		return maxBits // a method without a declared number of outcomes is refused when it is granted
	}
	return bits.Len64(n - 1)
}

// outcomes returns how many values the type has. It fails if the type's declaration sets no bound for that number.
func (t *Type) outcomes() (n uint64, err error) {
	switch {
	case t == nil:
		return 0, errors.New("the type is missing")
	case t.Name == value.TypeBool:
		n = 2
	case t.Name == value.TypeText && len(t.Enum) > 0:
		n = uint64(len(t.Enum))
	case t.ranged():
		n = uint64(t.Max) - uint64(t.Min) + 1
	case t.Name == value.TypeRecord:
		n = 1
		for i := range t.Fields {
			f := &t.Fields[i]
			of, err := f.Type.outcomes()
			if err != nil {
				return 0, fmt.Errorf("%s: %w", f.Name, err)
			}
			if f.Opt { // an optional field may also be missing, which is one more outcome
				of++
			}
			if of > maxOutcomes/n {
				return 0, errOutcomes
			}
			n *= of
		}
	default:
		return 0, fmt.Errorf("%s can have any number of values: want true or false, text of an Enum, a whole number from Min to Max, or a record of these", t)
	}
	if n == 0 || n >= maxOutcomes { // n is 0 for all whole numbers; the limit leaves one outcome for null
		return 0, errOutcomes
	}
	if t.Null {
		n++
	}
	return n, nil
}

// ranged reports whether the type is whole numbers from Min to Max.
func (t *Type) ranged() bool { return t.Name == value.TypeInt && t.Min < t.Max }

// checkDeclassifies refuses a declassifier if the number of its replies is unbounded, or if it could read more than its arguments.
func (m *Method) checkDeclassifies() error {
	if m.Declassifies.Empty() {
		return nil
	}
	switch {
	case !m.Declassifies.Integrity().Empty():
		return fmt.Errorf("the field Declassifies has %s, a tag of integrity: only tags of secrecy can be declassified", m.Declassifies.Integrity())
	case !m.Sends || !m.Sink || m.Effect != NoEffect || m.Nested != nil || m.Row:
		return errors.New("a method that declassifies must have Sends and Sink, no Effect and no Nested, and a reply of one value")
	case m.Result == nil || m.Result.Con == nil || !m.Result.Con.Null:
		return errors.New("a method that declassifies needs a Result with Null, since it returns null for any failure")
	case !m.Shows().Empty():
		return errors.New("a method that declassifies can't have labels on its result, which it reveals")
	}
	for i := range m.Params {
		// A query is refused as an argument: it is no sealed value, and the program could compute over whole columns and have the result revealed.
		if p := &m.Params[i]; p.Lambda != nil || p.Want == nil || !p.Want.Con.plain(0) {
			return fmt.Errorf("%s: a method that declassifies must take plain data, neither callbacks nor objects", p.Name)
		}
	}
	if _, err := m.Result.Con.outcomes(); err != nil {
		return fmt.Errorf("the result: %w", err)
	}
	return nil
}

// Limited copies v in the only form that the type allows: without a label, another order of fields, or another
// spelling of a number. Each of these could reveal more than Bits counts. It returns false for any other value, such
// as one with an extra field.
func (t *Type) Limited(v value.Value) (value.Value, bool) {
	switch {
	case v.IsNull():
		return value.Null(), t.Null
	case t.Name == value.TypeBool && v.Kind() == value.KindBool:
		return value.Bool(v.Bool()), true
	case t.Name == value.TypeText && v.Kind() == value.KindText:
		i := slices.Index(t.Enum, v.Text())
		if i < 0 {
			return value.Value{}, false
		}
		return value.Text(t.Enum[i]), true
	case t.ranged() && v.Kind() == value.KindInt:
		return value.Int(v.Int()), t.Min <= v.Int() && v.Int() <= t.Max
	case t.Name == value.TypeRecord && v.Kind() == value.KindRecord:
		var fs []value.Field
		for i := range t.Fields {
			f := &t.Fields[i]
			x, ok := v.Get(f.Name)
			if !ok && f.Opt {
				continue
			}
			if x, ok = f.Type.Limited(x); !ok {
				return value.Value{}, false
			}
			fs = append(fs, value.Field{Name: f.Name, Value: x})
		}
		return value.RecordValue(fs...), len(fs) == v.Len()
	}
	return value.Value{}, false
}
