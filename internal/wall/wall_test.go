package wall

// This file tests what holds on every system, also where there are no walls.

import (
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestNames: each wall has one name, and a name that no wall has is a wall that no system has.
func TestNames(t *testing.T) {
	if want := []string{"files", "network", "system calls", "resources", "tied", "apart"}; !slices.Equal(All.Names(), want) || Named(want...) != All {
		t.Errorf("%v", All.Names())
	}
	for bit := range 6 {
		if w := Walls(1) << bit; len(w.Names()) != 1 || Named(w.Names()...) != w {
			t.Errorf("%d is %v", bit, w.Names())
		}
	}
	if w := Named("moat"); w == 0 || w&All != 0 {
		t.Errorf("a name that no wall has is %b", w)
	}
}

// TestNoWalls: where there are no walls, all that a program could have is missing, and a program that requires one is not started.
func TestNoWalls(t *testing.T) {
	if err := (&Spec{}).lacking(0); err != nil {
		t.Error(err)
	}
	for _, w := range All.Names() {
		if err := (&Spec{Require: Named(w)}).lacking(0); err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %v", w, err)
		}
		if err := (&Spec{Require: Named(w)}).lacking(All); err != nil {
			t.Errorf("%s: %v", w, err)
		}
	}
	if w := (&Spec{Network: true}).wanted(); w != All&^Network {
		t.Errorf("with a network it wants %v", w.Names())
	}
}

// lists is a program that prints its environment.
func lists(t *testing.T) (s Spec) {
	t.Helper()
	name := "env"
	if runtime.GOOS == "windows" {
		name, s.Args = "cmd", []string{"/c", "set"}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	s.Path = path
	if runtime.GOOS == "windows" {
		s.Env = []string{"SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	}
	for _, p := range []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"} {
		if _, err := os.Stat(p); err == nil {
			s.Read = append(s.Read, p)
		}
	}
	return s
}

// TestPlain: a program without walls has no variable but those of its Spec. Its twin, started as os.StartProcess does by itself, has the host's.
func TestPlain(t *testing.T) {
	t.Setenv("EXO_HOST_SECRET", "s3cr3t")
	s := lists(t)
	s.Dir = t.TempDir()
	run := func(start func(files []*os.File) (*os.Process, error)) string {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		p, err := start([]*os.File{r, w, w})
		w.Close()
		if err != nil {
			t.Fatal(err)
		}
		out, _ := io.ReadAll(r)
		_, _ = p.Wait()
		return string(out)
	}
	if out := run(func(files []*os.File) (*os.Process, error) { return plain(&s, files, nil) }); strings.Contains(out, "s3cr3t") {
		t.Errorf("it has %s", out)
	}
	if out := run(func(files []*os.File) (*os.Process, error) {
		return os.StartProcess(s.Path, append([]string{s.Path}, s.Args...), &os.ProcAttr{Files: files})
	}); !strings.Contains(out, "s3cr3t") {
		t.Errorf("the twin has %s", out)
	}
}

// TestStartHere: on every system a program runs, has the variables of its Spec and no others, and Missing has each wall that this system lacks.
func TestStartHere(t *testing.T) {
	t.Setenv("EXO_HOST_SECRET", "s3cr3t")
	s := lists(t)
	s.Env = append(s.Env, "EXO_GIVEN=yes")
	p, err := Start(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	out, err := io.ReadAll(p.Out)
	if err != nil || !strings.Contains(string(out), "EXO_GIVEN=yes") || strings.Contains(string(out), "s3cr3t") {
		t.Errorf("%s %v", out, err)
	}
	if p.Walls&p.Missing != 0 || p.Walls|p.Missing != All || !walled && p.Missing != All {
		t.Errorf("walls %v, missing %v", p.Walls.Names(), p.Missing.Names())
	}
	s.Require = p.Missing
	if q, err := Start(context.Background(), s, nil); p.Missing != 0 && err == nil {
		q.Close()
		t.Errorf("it was started without %v", p.Missing.Names())
	}
}
