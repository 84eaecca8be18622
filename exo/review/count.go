package review

// This file counts the rows that a principal has changed in a day, for rules that ask above some number.

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/store"
)

// day is the value of an entry: the rows that a principal has changed in a day (UTC). All its programs share the entry, so many small programs can't avoid a rule.
type day struct {
	Day  string `json:"day"`
	Rows int64  `json:"rows"`
}

// count reports whether the rows of a change bring the day above what its rule allows. If not, and add is set, it adds these rows to the day. It adds
// them before the commit, so they count even if the run then fails.
func (k *Keeper) count(ctx context.Context, p exo.Principal, a changeset.Ask, add bool) (over bool, err error) {
	today := k.opt.Now().UTC().Format(time.DateOnly)
	err = store.Update(ctx, k.opt.Store, store.Key(dayPrefix, string(p), a.Count), func(e *store.Entry) (put bool, err error) {
		was := day{Day: today}
		if e.Version != store.Absent {
			if err := json.Unmarshal(e.Value, &was); err != nil || was.Rows < 0 {
				return false, fmt.Errorf("review: the store's entry %.80q should count the changed records of a day, and is %.100s: correct or remove the entry", e.Key, e.Value)
			}
		}
		if was.Day < today { // a later day comes from a clock that was ahead, and its rows still count
			was = day{Day: today}
		}
		if over = was.Rows+a.Rows > a.Over; over || !add {
			return false, nil
		}
		was.Rows += a.Rows
		e.Value, err = json.Marshal(was)
		e.Until = time.Time{}
		return true, err
	})
	return over, err
}
