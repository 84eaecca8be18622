package exosql

import (
	"fmt"
	"reflect"
	"sort"
)

// fields are the columns of a table by where their fields begin in a row.
type fields map[uintptr]string

// bind keeps which field of a row is the column's. It panics where that is none, or another
// column's. A variable of the host's would be written by each query for itself, so two users
// would read one another's values there; and of two columns of one field, one is lost.
func (fs *fields) bind(table, column string, row reflect.Value, field func() any) {
	at := pointer(table, column, field)
	if !within(row, at.Pointer(), at.Type().Elem()) {
		panic(fmt.Sprintf("exosql: column %s.%s: the field function does not return a field of its argument; want func(row *%v) … { return &row.Field }", table, column, row.Type()))
	}
	offset := at.Pointer() - row.Addr().Pointer()
	if other, taken := (*fs)[offset]; taken && other != column {
		panic(fmt.Sprintf("exosql: column %s.%s: the field function returns the field of column %s.%s; each column needs a field of its own", table, column, table, other))
	}
	if *fs == nil {
		*fs = fields{}
	}
	(*fs)[offset] = column
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
