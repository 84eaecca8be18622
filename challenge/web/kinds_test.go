package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
)

// TestKinds: every word that a verdict can say is explained, once.
func TestKinds(t *testing.T) {
	words := map[string]bool{"ok": true, "refused": true}
	for k := range fail.Breach + 1 {
		words[k.String()] = true
	}
	for _, k := range kinds {
		if !words[k.Word] || !known(k.Word) || len(k.About) < 20 {
			t.Errorf("%+v", k)
		}
		delete(words, k.Word)
	}
	for w := range words {
		t.Errorf("%s is not explained", w)
	}
	if known("none") {
		t.Error("every word is one")
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1204: "1,204", 12345678: "12,345,678", -1204: "-1,204"} {
		if got := grouped(n); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestFailureKinds: the page and the description have the kinds that this package
// answers with, and no other.
func TestFailureKinds(t *testing.T) {
	status := map[string]int{}
	for n := range 600 {
		status[strings.ReplaceAll(http.StatusText(n), " ", "")] = n
	}
	answered := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	literal, all := regexp.MustCompile(`problem\{http\.Status(\w+), "(\w+)"`), regexp.MustCompile(`problem\{[^}]`)
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		found := literal.FindAllStringSubmatch(string(text), -1)
		if n := len(all.FindAllString(string(text), -1)); n != len(found) {
			t.Errorf("%s: %d failures, of which %d can be read", f, n, len(found))
		}
		for _, m := range found {
			answered[fmt.Sprint(status[m[1]], " ", m[2])] = true
		}
	}
	if len(answered) < 10 {
		t.Errorf("%v", answered)
	}
	var words []string
	for _, k := range failureKinds {
		if id := fmt.Sprint(k.Status, " ", k.Kind); !answered[id] {
			t.Errorf("nothing answers %s", id)
		} else {
			delete(answered, id)
		}
		words = append(words, k.Kind)
	}
	for id := range answered {
		t.Errorf("%s is not on the page", id)
	}
	var d struct {
		Components struct {
			Schemas struct {
				Error struct {
					Properties struct {
						Error struct {
							Properties struct{ Kind struct{ Enum []string } }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(description, &d); err != nil {
		t.Fatal(err)
	}
	enum := d.Components.Schemas.Error.Properties.Error.Properties.Kind.Enum
	slices.Sort(words)
	slices.Sort(enum)
	if !slices.Equal(slices.Compact(words), enum) {
		t.Errorf("the page has %v, the description %v", words, enum)
	}
}
