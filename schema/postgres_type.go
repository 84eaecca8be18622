package schema

import (
	"database/sql"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/internal/sqlname"
)

// postgresType is a type in a live PostgreSQL database.
type postgresType struct {
	Name
	kind      string // kind is the letter in pg_type: b, d for a domain, e for an enum
	elem      int64  // elem is the type of an array's elements
	base      int64  // base is the type of a domain's values
	format    string // format is the name of base that format_type writes, with its length
	notNull   bool
	extension bool
	used      bool
}

// readTypes reads the types that a column can have.
func (r *postgresReader) readTypes() error {
	return each(r.ctx, r.q, `SELECT t.oid::bigint, n.nspname::text, t.typname::text, t.typtype::text, CASE WHEN t.typcategory = 'A' AND t.typtype = 'b' THEN t.typelem::bigint ELSE 0 END, t.typbasetype::bigint,
			CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod) ELSE '' END, t.typnotnull,
			EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e')
		FROM pg_type AS t JOIN pg_namespace AS n ON n.oid = t.typnamespace WHERE t.typtype <> 'p'`, nil, func(rows *sql.Rows) error {
		var oid int64
		t := &postgresType{}
		err := rows.Scan(&oid, &t.Schema, &t.Name.Name, &t.kind, &t.elem, &t.base, &t.format, &t.notNull, &t.extension)
		r.types[oid] = t
		return err
	})
}

// typeOf returns the properties that columns have because of a type. format is PostgreSQL's name of the type, with its length.
func (r *postgresReader) typeOf(oid int64, format string) typeOf {
	t := r.types[oid]
	if t == nil {
		return typeOf{text: format}
	}
	t.used = true
	switch {
	case t.elem != 0:
		return r.typeOf(t.elem, strings.TrimSuffix(format, "[]")).array()
	case t.kind == "d":
		out := r.typeOf(t.base, t.format)
		name := t.Name
		out.domain, out.notNull = &name, out.notNull || t.notNull
		return out
	case t.kind == "e":
		name := t.Name
		return typeOf{text: typeText(name), kind: Text, enum: &name}
	}
	out := typeOf{text: format}
	switch {
	case t.extension:
		out.text = sqlname.Plain(t.Name.Name)
		if i := strings.LastIndexByte(format, '('); i > 0 && strings.HasSuffix(format, ")") {
			out.text += format[i:]
		}
	case t.Schema != "pg_catalog":
		out.text = typeText(t.Name)
		return out // a type of another schema is unknown, even if its name is a known one
	}
	out.kind, out.elem = postgresKind(out.text)
	return out
}

func (r *postgresReader) enums() error {
	found := map[int64]*Enum{}
	return each(r.ctx, r.q, `SELECT e.enumtypid::bigint, e.enumlabel::text, coalesce(obj_description(e.enumtypid, 'pg_type'), '') FROM pg_enum AS e ORDER BY e.enumtypid, e.enumsortorder`, nil, func(rows *sql.Rows) error {
		var oid int64
		var label, comment string
		if err := rows.Scan(&oid, &label, &comment); err != nil {
			return err
		}
		t := r.types[oid]
		if t == nil || t.extension || !t.used && !r.reads(t.Schema) {
			return nil
		}
		e := found[oid]
		if e == nil {
			e = &Enum{Name: t.Name, Comment: comment}
			found[oid], r.db.Enums = e, append(r.db.Enums, e)
		}
		e.Values = append(e.Values, label)
		return nil
	})
}

func (r *postgresReader) domains() error {
	found, oids := map[int64]*Domain{}, []string(nil)
	err := each(r.ctx, r.q, `SELECT t.oid::bigint, coalesce(t.typdefault, ''), coalesce(obj_description(t.oid, 'pg_type'), '') FROM pg_type AS t JOIN pg_namespace AS n ON n.oid = t.typnamespace
		WHERE t.typtype = 'd' AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY t.oid`, nil, func(rows *sql.Rows) error {
		var oid int64
		d := &Domain{}
		if err := rows.Scan(&oid, &d.Default, &d.Comment); err != nil {
			return err
		}
		t := r.types[oid]
		if t == nil || t.extension || !t.used && !r.reads(t.Schema) {
			return nil
		}
		of := r.typeOf(t.base, t.format)
		d.Name, d.Type, d.Kind, d.Elem, d.NotNull = t.Name, of.text, of.kind, of.elem, t.notNull
		found[oid], r.db.Domains, oids = d, append(r.db.Domains, d), append(oids, strconv.FormatInt(oid, 10))
		return nil
	})
	if err != nil {
		return err
	}
	return each(r.ctx, r.q, `SELECT contypid::bigint, conname::text, coalesce(pg_get_expr(conbin, 0), '') FROM pg_constraint WHERE contypid = ANY ($1::text::oid[]) AND contype = 'c' ORDER BY contypid, conname`, []any{"{" + strings.Join(oids, ",") + "}"}, func(rows *sql.Rows) error {
		var oid int64
		var c Check
		err := rows.Scan(&oid, &c.Name, &c.Expr)
		if d := found[oid]; d != nil {
			d.Checks = append(d.Checks, c)
		}
		return err
	})
}

// typeOf has the properties that a column has because of its type.
type typeOf struct {
	text    string
	kind    Kind
	elem    Kind
	enum    *Name
	domain  *Name
	notNull bool
}

func (t typeOf) set(c *Column) {
	c.Type, c.Kind, c.Elem, c.Enum, c.Domain = t.text, t.kind, t.elem, t.enum, t.domain
	c.NotNull = c.NotNull || t.notNull
}

func (t typeOf) array() typeOf {
	if t.domain != nil {
		t.text = typeText(*t.domain)
	}
	return typeOf{text: t.text + "[]", kind: List, elem: t.kind, enum: t.enum}
}

// typeText returns the name of a type that is not PostgreSQL's own.
func typeText(n Name) string { return sqlname.Path(n.Schema, n.Name) }
