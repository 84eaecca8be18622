package values_test

// The tables, rows and grants of the tests about null.

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type nullCrate struct {
	ID, Org int64
	Max     *int64
}

type nullItem struct {
	ID, Org, NN int64
	Crate, N, M *int64
	F           *float64
	D           *exosql.Decimal
	S           *string
	ST          string
	B           *bool
	BT          bool
	Tags        *[]*string
	J           *exosql.JSON
}

var (
	nullCrates   = exosql.NewTable[nullCrate]("crates")
	nullCrateID  = exosql.NewKey(nullCrates, "id", func(c *nullCrate) *int64 { return &c.ID })
	nullCrateOrg = exosql.NewColumn(nullCrates, "org", func(c *nullCrate) *int64 { return &c.Org })
	nullCrateMax = exosql.NewNullable(nullCrates, "top", func(c *nullCrate) **int64 { return &c.Max })

	nullItems = exosql.NewTable[nullItem]("items")
	nullID    = exosql.NewKey(nullItems, "id", func(i *nullItem) *int64 { return &i.ID })
	nullOrg   = exosql.NewColumn(nullItems, "org", func(i *nullItem) *int64 { return &i.Org })
	nullCrat  = exosql.NewNullable(nullItems, "crate_id", func(i *nullItem) **int64 { return &i.Crate })
	nullNN    = exosql.NewColumn(nullItems, "nn", func(i *nullItem) *int64 { return &i.NN })
	nullN     = exosql.NewNullable(nullItems, "n", func(i *nullItem) **int64 { return &i.N })
	nullM     = exosql.NewNullable(nullItems, "m", func(i *nullItem) **int64 { return &i.M })
	nullF     = exosql.NewNullable(nullItems, "f", func(i *nullItem) **float64 { return &i.F })
	nullD     = exosql.NewNullable(nullItems, "d", func(i *nullItem) **exosql.Decimal { return &i.D })
	nullS     = exosql.NewNullable(nullItems, "s", func(i *nullItem) **string { return &i.S })
	nullST    = exosql.NewColumn(nullItems, "st", func(i *nullItem) *string { return &i.ST })
	nullB     = exosql.NewNullable(nullItems, "b", func(i *nullItem) **bool { return &i.B })
	nullBT    = exosql.NewColumn(nullItems, "bt", func(i *nullItem) *bool { return &i.BT })
	nullTags  = exosql.NewNullable(nullItems, "tags", func(i *nullItem) **[]*string { return &i.Tags })
	nullJ     = exosql.NewNullable(nullItems, "j", func(i *nullItem) **exosql.JSON { return &i.J })

	nullHolds = exosql.Many("items", nullCrateID, nullCrat)
	nullIn    = exosql.One("crate", nullCrat, nullCrateID)
)

// A nullRow is what the evaluator knows of a row: nil is null.
type nullRow map[string]any

func nullRows() []nullRow {
	var rows []nullRow
	r := rand.New(rand.NewPCG(4, 2))
	pick := func(vs ...any) any { return vs[r.IntN(len(vs))] }
	for id := 1; id <= 24; id++ {
		row := nullRow{"id": float64(id), "crateId": pick(nil, 1.0, 2.0, 3.0, 9.0), "nn": float64(r.IntN(6)), "n": pick(nil, 0.0, 1.0, 3.0, 5.0), "m": pick(nil, nil, 1.0, 3.0),
			"f": pick(nil, 0.5, 2.5, 5.0), "d": pick(nil, 1.5, 3.0, 12.25), "s": pick(nil, "", "ab", "Abc", "bc"), "st": pick("", "ab", "bc"), "b": pick(nil, true, false), "bt": pick(true, false),
			"tags": pick(nil, "", "ab", "ab bc"), "os": pick(nil, "ab", "bc")}
		rows = append(rows, row)
	}
	return rows
}

// nullCrateMaxes are the crates in scope. Crate 9 is another's: for the rows it is not there.
var nullCrateMaxes = map[any]any{1.0: 3.0, 2.0: nil, 3.0: 1.0}

func nullSQL(e tu.Engine, rows []nullRow) string {
	lit := func(v any) string {
		switch v := v.(type) {
		case nil:
			return "NULL"
		case string:
			return "'" + v + "'"
		case bool:
			return strings.ToUpper(strconv.FormatBool(v))
		}
		return fmt.Sprint(v)
	}
	list := func(v any) string {
		words, _ := v.(string)
		parts := strings.Fields(words)
		switch {
		case v == nil:
			return "NULL"
		case e.Name == "postgres":
			return "'{" + strings.Join(parts, ",") + "}'"
		}
		text, _ := json.Marshal(parts)
		return "'" + strings.ReplaceAll(string(text), "null", "[]") + "'"
	}
	sql := e.SQL("CREATE TABLE crates (id {int} PRIMARY KEY, org {int} NOT NULL, top {int}); INSERT INTO crates VALUES (1, 1, 3), (2, 1, NULL), (3, 1, 1), (4, 1, 2), (9, 2, 3); " +
		"CREATE TABLE items (id {int} PRIMARY KEY, org {int} NOT NULL, crate_id {int}, nn {int} NOT NULL, n {int}, m {int}, f {float}, d {decimal}, s TEXT, st TEXT NOT NULL, b BOOLEAN, bt BOOLEAN NOT NULL, tags {texts}, j {json})")
	for i, row := range rows {
		d, j := "NULL", "NULL"
		if row["d"] != nil {
			d = fmt.Sprintf("'%v'", row["d"])
		}
		if row["os"] != nil {
			j = fmt.Sprintf(`'{"os":"%s"}'`, row["os"])
		} else if i%2 == 0 {
			j = "'{}'"
		}
		sql += fmt.Sprintf("; INSERT INTO items VALUES (%s, 1, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)", lit(row["id"]), lit(row["crateId"]), lit(row["nn"]), lit(row["n"]), lit(row["m"]), lit(row["f"]), d,
			lit(row["s"]), lit(row["st"]), lit(row["b"]), lit(row["bt"]), list(row["tags"]), j)
	}
	return sql + "; INSERT INTO items SELECT id + 100, 2, crate_id, nn, n, m, f, d, s, st, b, bt, tags, j FROM items"
}

func nullGrants(db *exosql.DB, org int64) map[string]exo.Object {
	crate := exosql.NewFacet(nullCrates, "crate", nullCrateID, nullCrateMax)
	item := exosql.NewFacet(nullItems, "item", nullID, nullCrat, nullNN, nullN, nullM, nullF, nullD, nullS, nullST, nullB, nullBT, nullTags, nullJ)
	crate.Add(exosql.Via(nullHolds, item))
	item.Add(exosql.Via(nullIn, crate))
	return map[string]exo.Object{
		"crates": crate.Of(exosql.Grant(db, nullCrates, nullCrateOrg.Eq(org), exosql.ScopeRows(nullItems, nullOrg.Eq(org)))),
		"items":  item.Of(exosql.Grant(db, nullItems, nullOrg.Eq(org), exosql.ScopeRows(nullCrates, nullCrateOrg.Eq(org)))),
	}
}
