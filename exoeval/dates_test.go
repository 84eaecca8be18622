package exoeval_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// Date reads a text as Node.js does (testdata/date.mjs), in UTC and in a zone.
func TestDateTexts(t *testing.T) {
	b, err := os.ReadFile("testdata/date.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][3]string
	if err := json.Unmarshal(b, &cases); err != nil || len(cases) < 2000 {
		t.Fatal(len(cases), err)
	}
	dates := 0
	for in, zone := range []string{"UTC", "America/New_York"} {
		for batch := range slices.Chunk(cases, 500) {
			var texts []string
			for _, c := range batch {
				texts = append(texts, c[0])
			}
			list, _ := json.Marshal(texts)
			res := zoned(t, zone).Run(t.Context(), exoeval.Job{Program: "return " + string(list) + ".map((s) => JSON.stringify(Date.parse(s)) + ' ' + JSON.stringify(new Date(s).getTime()))", Run: exo.Run{Clock: testutil.Start, Seed: 1}})
			if res.Err != nil {
				t.Fatal(res.Err)
			}
			for i, c := range batch {
				want := c[1+in]
				if want != "null" {
					dates++
				}
				if got := res.Value.At(i).Text(); got != want+" "+want {
					t.Errorf("%s: %q is %s, want %s", zone, c[0], got, want)
				}
			}
		}
	}
	if dates < 2000 {
		t.Errorf("only %d of the texts are dates", dates)
	}
}
