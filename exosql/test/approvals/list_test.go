package approvals_test

// This file lists change sets when some can't be read.

import (
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/store"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestListWithUnreadable: whoever can write the store hides no change set by one that can't be read. Such a one is listed by its ID, with the reason, and
// nobody can agree to it. The twin is the readable one.
func TestListWithUnreadable(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for name, breaks := range map[string]func(bad, other *store.Entry){
			"a head that is none":     func(bad, _ *store.Entry) { bad.Value = []byte(`{"v":2}`) },
			"a list":                  func(bad, _ *store.Entry) { bad.Value = []byte(`[]`) },
			"the head of another set": func(bad, other *store.Entry) { bad.Value = other.Value },
			"an encrypted part of zeros": func(bad, _ *store.Entry) {
				bad.Value = []byte(strings.Replace(string(bad.Value), `"short":"`, `"short":"AAAA`, 1))
			},
			"a run that is none": func(bad, _ *store.Entry) {
				bad.Value = []byte(strings.Replace(string(bad.Value), `"state"`, `"run":"x","state"`, 1))
			},
		} {
			w := open(t, e)
			bad, good := w.prepared(rise), w.prepared(`return staff.where({ name: "ada" }).update({ salary: 222 })`)
			head := func(id string) store.Entry {
				e, err := w.store.Get(t.Context(), store.Key("review", "user:1", id))
				if err != nil || e.Version == store.Absent {
					t.Fatal(err)
				}
				return e
			}
			x, y := head(bad.ID), head(good.ID)
			breaks(&x, &y)
			if _, err := w.store.Put(t.Context(), x); err != nil {
				t.Fatal(err)
			}
			all, err := w.keeper.List(t.Context(), false)
			if err != nil || len(all) != 2 {
				t.Fatalf("%s: %d are listed: %v", name, len(all), err)
			}
			for _, z := range all {
				if unread := z.Principal == ""; unread != (z.ID == bad.ID) || unread && (z.Why == "" || z.State == "") || !unread && z.Summary() != "staff: 1 changed" {
					t.Errorf("%s: it is listed as %+v", name, z)
				}
			}
			if all, err = w.tool.Pending(t.Context()); err != nil || len(all) != 2 || all[1].ID != good.ID || all[1].State != review.Pending || all[0].ID != bad.ID {
				t.Errorf("%s: the tool lists %+v: %v", name, all, err)
			}
			if res := w.tool.Run(t.Context(), "return staff.count()"); res.Err != nil {
				t.Errorf("%s: no program runs any more: %v", name, res.Err)
			}
			if _, err := w.keeper.Approve(t.Context(), bad.ID, bad.Digest(), boss); err == nil {
				t.Errorf("%s: it was agreed to", name)
			}
			if got, err := w.keeper.Get(t.Context(), good.ID); err != nil || got.State != review.Pending {
				t.Errorf("%s: the other can't be looked at: %v", name, err)
			}
			if _, err := w.keeper.Approve(t.Context(), good.ID, good.Digest(), boss); err != nil {
				t.Errorf("%s: the other can't be agreed to: %v", name, err)
			}
			w.keep() // a new process settles the other, which the old one did not finish
			w.now = w.now.Add(time.Hour)
			if n, err := w.keeper.Reconcile(t.Context(), w.db.Committed); n != 1 {
				t.Errorf("%s: %d were settled: %v", name, n, err)
			}
		}
	})
}

// TestNotify: the host hears of each change set that waits, once, and of none that needs nobody.
func TestNotify(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := fresh(t, e, false)
		var heard []string
		k, err := review.New(review.Options{Store: w.store, Key: key, Link: func(id string) string { return "https://approve.test/" + id }, Notify: func(x review.ChangeSet) { heard = append(heard, x.ID+" "+x.Summary()) }})
		if err != nil {
			t.Fatal(err)
		}
		w.keeper = k
		w.tool = w.made("user:1")
		if res := w.tool.Run(t.Context(), `return staff.where({ name: "ada" }).update({ note: "x" })`); res.Err != nil || heard != nil {
			t.Error(res.Err, heard)
		}
		x := w.prepared(rise)
		if len(heard) != 1 || heard[0] != x.ID+" "+x.Summary() {
			t.Errorf("heard %q of %s", heard, x.ID)
		}
		if res, err := w.apply(x); err != nil || res.Err != nil || len(heard) != 1 {
			t.Error(err, res.Err, heard)
		}
	})
}
