package repl

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

// GrantFunc is the form of a function of grants. It returns the objects for programs that run for a user. It
// fails if there is no such user.
//
// The context, the user and the error may be left out. The user may be an integer or a UUID, [16]byte, and the
// result any map from names to objects.
type GrantFunc = func(ctx context.Context, db *exosql.DB, user string) (codemode.Grants, error)

const form = "func(ctx context.Context, db *exosql.DB, user string) (codemode.Grants, error), where ctx, user and error may be left out and user may be an integer or a UUID, [16]byte"

// granter is a function of grants in a common form. The parameter as names a member; it is "" for an App without Members.
type granter = func(ctx context.Context, db *exosql.DB, user, as string) (codemode.Grants, error)

// adapt turns a function of grants into a granter. who is the name of the flag for the user, for errors. members reports
// that the function must also take a member.
func adapt(f any, who string, members bool) (granter, error) {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return nil, fmt.Errorf("the grants must be a function: want %s", form)
	}
	t := v.Type()
	wrong := fmt.Errorf("the function of grants is a %v; want %s", t, form)
	in := 0
	next := func(ok func(reflect.Type) bool) bool {
		if in < t.NumIn() && ok(t.In(in)) {
			in++
			return true
		}
		return false
	}
	withContext := next(func(p reflect.Type) bool { return p == reflect.TypeFor[context.Context]() })
	withDB := next(func(p reflect.Type) bool { return p == reflect.TypeFor[*exosql.DB]() })
	names := func(p reflect.Type) bool {
		zero := reflect.Zero(p)
		return p.Kind() == reflect.String || zero.CanInt() || zero.CanUint() || p.Kind() == reflect.Array && p.ConvertibleTo(uuid)
	}
	withUser := next(names)
	withMember := members && next(names)
	grants := reflect.TypeFor[codemode.Grants]()
	switch {
	case !withDB || in != t.NumIn() || t.IsVariadic():
		return nil, wrong
	case members && !withMember:
		return nil, fmt.Errorf("the function of grants is a %v; with App.Members the function must take a member after the user", t)
	case t.NumOut() != 1 && t.NumOut() != 2, !t.Out(0).ConvertibleTo(grants):
		return nil, wrong
	case t.NumOut() == 2 && t.Out(1) != reflect.TypeFor[error]():
		return nil, wrong
	}
	return func(ctx context.Context, db *exosql.DB, user, as string) (codemode.Grants, error) {
		var args []reflect.Value
		if withContext {
			args = append(args, reflect.ValueOf(ctx))
		}
		args = append(args, reflect.ValueOf(db))
		if withUser {
			u, err := userValue(who, user, t.In(len(args)))
			if err != nil {
				return nil, err
			}
			args = append(args, u)
			if withMember {
				m, err := userValue("as", as, t.In(len(args)))
				if err != nil {
					return nil, err
				}
				args = append(args, m)
			}
		} else if user != "" {
			return nil, errors.New("the function of grants takes no user; leave out -" + who)
		}
		out := v.Call(args)
		if len(out) == 2 && !out[1].IsNil() {
			return nil, out[1].Interface().(error)
		}
		return out[0].Convert(grants).Interface().(codemode.Grants), nil
	}, nil
}

var uuid = reflect.TypeFor[[16]byte]()

// userValue converts user, the value of the flag that who names, to the type that the function of grants wants.
func userValue(who, user string, t reflect.Type) (reflect.Value, error) {
	v := reflect.New(t).Elem()
	if t.Kind() == reflect.String {
		v.SetString(user)
		return v, nil
	}
	if user == "" {
		return v, errors.New("for whom should programs run? give -" + who)
	}
	if t.Kind() == reflect.Array {
		b, err := hex.DecodeString(strings.ReplaceAll(user, "-", ""))
		if err != nil || len(b) != len([16]byte{}) {
			return v, fmt.Errorf("-%s %q: want a UUID, 32 hexadecimal digits", who, user)
		}
		return reflect.ValueOf([16]byte(b)).Convert(t), nil
	}
	if v.CanInt() {
		n, err := strconv.ParseInt(user, 10, t.Bits())
		if err != nil {
			return v, fmt.Errorf("-%s %q: want a whole number", who, user)
		}
		v.SetInt(n)
		return v, nil
	}
	n, err := strconv.ParseUint(user, 10, t.Bits())
	if err != nil {
		return v, fmt.Errorf("-%s %q: want a whole number that is not negative", who, user)
	}
	v.SetUint(n)
	return v, nil
}
