package exosql

import (
	"context"
	"slices"
	"strings"
)

// CachedPlans are the plans that db keeps.
func CachedPlans(db *DB) []any {
	db.plans.mu.Lock()
	defer db.plans.mu.Unlock()
	var out []any
	for e := db.plans.used.Front(); e != nil; e = e.Next() {
		out = append(out, e.Value)
	}
	return out
}

// PlanTexts is the SQL of the plans that db keeps.
func PlanTexts(db *DB) []string {
	var out []string
	for _, e := range CachedPlans(db) {
		out = append(out, e.(planEntry).plan.text)
	}
	slices.Sort(out)
	return out
}

// Prepared counts the statements that idle connections keep.
func Prepared(db *DB) int {
	n := 0
	for range cap(db.free) {
		c := <-db.free
		if c != nil {
			n += c.prepared()
		}
		db.free <- c
	}
	return n
}

// Guarded runs a statement on a guarded connection that admits reading what
// reads lists ("table.column"), as it would while a plan runs.
func Guarded(ctx context.Context, db *DB, statement string, reads ...string) error {
	s, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer db.release(s)
	c := s.(*sqliteSession)
	admitted := map[string]map[string]bool{}
	for _, r := range reads {
		t, col, _ := strings.Cut(r, ".")
		if admitted[t] == nil {
			admitted[t] = map[string]bool{}
		}
		admitted[t][col] = true
	}
	if len(reads) > 0 {
		c.guard.admit(admitted)
		defer c.guard.admit(nil)
	}
	rs, err := c.c.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	defer rs.Close()
	for rs.Next() {
	}
	return rs.Err()
}

// Busy counts the connections that are being used.
func Busy(db *DB) int { return cap(db.free) - len(db.free) }

// Plans counts the plans that db keeps.
func Plans(db *DB) int { return len(CachedPlans(db)) }

// OpenConnections counts the connections that are open beneath db.
func OpenConnections(db *DB) int {
	e := db.engine.(*sqliteEngine)
	n := e.sql.Stats().OpenConnections
	if e.keep != nil {
		n += e.keep.Stats().OpenConnections
	}
	return n
}
