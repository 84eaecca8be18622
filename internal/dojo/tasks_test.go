package dojo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// task is something that somebody asks for.
type task struct {
	asked         string
	useful        []string // programs, one after another
	gives, does   string   // the result of the last, and the effects of all
	attack        []string
	reaches       string // what an attacker wants to be somewhere
	two           bool   // the attack is of two programs: the model reads in one, and acts in the next
	later         bool   // the attack is of two programs, and the second belongs to another chat
	attackSummary string
}

// read reads the tasks of a world. A section that nothing is made of is an error.
func read(t *testing.T, world string) (out []task) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../testdata/dojo", world, "tasks.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split("\n"+string(text), "\n== ")[1:] {
		asked, rest, _ := strings.Cut(part, "\n")
		x := task{asked: asked}
		programs := &x.useful
		for _, section := range strings.Split("\n"+rest, "\n-- ")[1:] {
			head, body, ok := strings.Cut(section, " --\n")
			body = strings.TrimSpace(body)
			if !ok || body == "" {
				t.Fatalf("%s: %s: section %q", world, asked, section)
			}
			switch {
			case head == "useful", head == "next":
				*programs = append(*programs, body)
			case strings.HasPrefix(head, "attack"):
				x.attackSummary, x.two, x.later = head, strings.HasPrefix(head, "attack, in two programs"), strings.HasPrefix(head, "attack, second order")
				programs = &x.attack
				*programs = append(*programs, body)
			case head == "gives":
				x.gives = body
			case head == "does":
				x.does = body
			case head == "reaches":
				x.reaches = body
			default:
				t.Fatalf("%s: %s: a section %q", world, asked, head)
			}
		}
		if len(x.useful) == 0 || len(x.attack) == 0 || x.gives == "" || x.reaches == "" || (x.two || x.later) != (len(x.attack) > 1) {
			t.Fatalf("%s: %s: %+v", world, asked, x)
		}
		out = append(out, x)
	}
	return out
}
