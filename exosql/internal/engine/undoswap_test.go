package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exosql/internal/engine"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// openSeats adds tables with unique values to an imaged database. Nobody can delete a seat that is held; a stamp admits no other values.
func openSeats(t *testing.T, e tu.Engine) *imaged {
	b := openImaged(t, e)
	b.exec(e.SQL(`CREATE TABLE seats (id {int} PRIMARY KEY, who text NOT NULL UNIQUE, place {int} UNIQUE, line {int} NOT NULL, UNIQUE (line, place));
CREATE TABLE holds (id {int} PRIMARY KEY, seat {int} NOT NULL REFERENCES seats (id));
CREATE TABLE stamps (id {int} PRIMARY KEY, v text NOT NULL UNIQUE CHECK (length(v) < 3));
CREATE TABLE marks (id {int} PRIMARY KEY, stamp {int} NOT NULL REFERENCES stamps (id));
INSERT INTO seats VALUES (1, 'a', 1, 1), (2, 'b', 2, 1), (3, 'c', 3, 1), (4, 'd', 4, 2), (5, 'e', NULL, 2);
INSERT INTO holds VALUES (1, 1), (2, 2), (3, 4);
INSERT INTO stamps VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO marks VALUES (1, 1)`))
	if e.Name == tu.Postgres.Name {
		b.exec("GRANT SELECT, UPDATE, DELETE, INSERT ON seats, holds, stamps, marks TO " + b.as)
		b.script("parents", "children", "pairs", "bare", "gens", "odd", "parts", "told", "log", "grandchildren", "strays", "seats", "holds", "stamps", "marks")
	}
	b.connect()
	return b
}

// ran runs statements as one run, whose images are kept.
func (b *imaged) ran(run string, statements ...string) {
	b.t.Helper()
	b.begin(10_000, 1<<20)
	var err error
	for _, text := range statements {
		err = errors.Join(err, b.do(text))
	}
	if err = errors.Join(err, b.w.KeepImages(context.Background(), run, time.Now()), b.w.Commit(context.Background())); err != nil {
		b.t.Fatal(err, statements)
	}
}

// TestUndoSwapsUniqueValues: a run that has given unique values to other rows is undone, and so is its undo, also where a row can't be deleted meanwhile.
func TestUndoSwapsUniqueValues(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		b := openSeats(t, e)
		u := b.undoer()
		n := 0
		rapid.Check(t, func(t *rapid.T) {
			n++
			var first, then []string
			move := func(column string, values []string, free string) { // all at once: no statement breaks a rule
				to := rapid.Permutation(values).Draw(t, column)
				for id, v := range to {
					first = append(first, fmt.Sprintf("UPDATE seats SET %s = %s WHERE id = %d", column, fmt.Sprintf(free, id), id+1))
					then = append(then, fmt.Sprintf("UPDATE seats SET %s = %s WHERE id = %d", column, v, id+1))
				}
			}
			move("who", []string{"'a'", "'b'", "'c'", "'d'", "'e'"}, "'free%d'")
			move("place", []string{"1", "2", "3", "4", "NULL"}, "%d - 100")
			more := rapid.SampledFrom([]string{"", "DELETE FROM seats WHERE id = 3", "DELETE FROM seats WHERE id = 5", "UPDATE seats SET line = 3 - line", "INSERT INTO seats VALUES (6, 'f', 6, 1)"}).Draw(t, "more")
			if all := append(first, then...); more == "" {
				first = all
			} else {
				first = append(all, more)
			}
			before, run := b.dump(), fmt.Sprint("swap", n)
			b.ran(run, first...)
			if len(b.mustKept(u, run)) == 0 {
				return
			}
			after := b.dump()
			for _, step := range []struct {
				run  string
				want map[string]int
			}{{run, before}, {run + "u", after}, {run + "uu", before}} {
				if refused := b.reverse(u, step.run, step.run+"u"); refused != nil {
					t.Fatalf("the undo of %s is refused: %v", step.run, refused)
				}
				if now := b.dump(); !maps.Equal(now, step.want) {
					t.Fatalf("the undo of %s left\n%v\nwant\n%v", step.run, now, step.want)
				}
			}
		})
	})
}

// mustKept returns what was kept of a run; none if it changed nothing.
func (b *imaged) mustKept(w engine.Writer, run string) []engine.Image {
	b.t.Helper()
	if err := w.Begin(context.Background()); err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = w.Rollback(context.Background()) }()
	out, err := w.KeptImages(context.Background(), run)
	if err != nil && !errors.Is(err, engine.ErrNotKept) {
		b.t.Fatal(err)
	}
	return out
}

// TestUndoNamesSwapsThatItRefuses: where a rule admits no other value meanwhile and another row refers to the row, the undo changes nothing and names the rows.
func TestUndoNamesSwapsThatItRefuses(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		b := openSeats(t, e)
		u := b.undoer()
		swap := []string{"UPDATE stamps SET v = 'd' WHERE id = 1", "UPDATE stamps SET v = 'a' WHERE id = 2", "UPDATE stamps SET v = 'b' WHERE id = 1"}
		before := b.dump()
		b.ran("free", swap...)
		if refused := b.reverse(u, "free", "freeu"); refused != nil { // row 2 is deleted meanwhile: nothing refers to it
			t.Fatal(refused)
		}
		if now := b.dump(); !maps.Equal(now, before) {
			t.Fatalf("%v\nwant\n%v", now, before)
		}
		b.exec("INSERT INTO marks VALUES (2, 2)")
		b.ran("held", swap...)
		before = b.dump()
		refused := b.reverse(u, "held", "heldu")
		if len(refused) != 2 || !strings.Contains(strings.ToLower(refused[0].Why), "unique") || refused[0].Row.Table.Name != "stamps" {
			t.Fatalf("%v", refused)
		}
		if now := b.dump(); !maps.Equal(now, before) {
			t.Errorf("a refused undo changed\n%v\nto\n%v", before, now)
		}
	})
}
