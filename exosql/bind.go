package exosql

import (
	"fmt"
	"reflect"
	"sort"
)

// checkField panics where a field function does not lead into its row. A variable of the host's would be
// written by each query for itself, so two users would read one another's values there.
func checkField(table, column string, row reflect.Value, field func() any) {
	at := pointer(table, column, field)
	if !within(row, at.Pointer(), at.Type().Elem()) {
		panic(fmt.Sprintf("exosql: column %s.%s: the field function does not return a field of its argument; want func(row *%v) … { return &row.Field }", table, column, row.Type()))
	}
}

// pointer is what the field function returns for a new row, as each query calls it.
func pointer(table, column string, field func() any) reflect.Value {
	defer func() {
		if p := recover(); p != nil {
			panic(fmt.Sprintf("exosql: column %s.%s: the field function panics on a new row, as it would in each query: %v", table, column, p))
		}
	}()
	return reflect.ValueOf(field())
}

// within reports whether v, or a part of it however deep, is of the type and at that address.
// A struct and its first field have one address, so the type decides.
func within(v reflect.Value, at uintptr, typ reflect.Type) bool {
	for v.Addr().Pointer() != at || v.Type() != typ {
		n, part := 0, v.Field
		switch v.Kind() {
		case reflect.Struct:
			n = v.NumField()
		case reflect.Array:
			n, part = v.Len(), v.Index
		}
		next := sort.Search(n, func(i int) bool { return part(i).Addr().Pointer() > at })
		if next == 0 {
			return false
		}
		v = part(next - 1)
	}
	return true
}
