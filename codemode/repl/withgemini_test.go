package repl

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestWithGemini: the command builds itself anew where a model of Gemini will be asked, and nowhere else; the
// tests of this package do not link the adapter either. The go command is one of ours, which notes what it is asked.
func TestWithGemini(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the go command of this test is a shell script")
	}
	dir := t.TempDir()
	asked := filepath.Join(dir, "asked")
	script := "#!/bin/sh\ncase $1 in\nlist) echo $LISTED ;;\nrun) echo \"$@\" >" + asked + "; exit 7 ;;\nesac\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for _, c := range []struct {
		args, key, listed, want string
	}{
		{"-user 2 -ask x", "GOOGLE_GENERATIVE_AI_API_KEY", "main true", "run -tags gemini github.com/exoagent/exoagent/codemode/repl.test -user 2 -ask x\n"},
		{"", "GOOGLE_GENERATIVE_AI_API_KEY", "main true", "run -tags gemini github.com/exoagent/exoagent/codemode/repl.test\n"},
		{"-e 1", "GOOGLE_GENERATIVE_AI_API_KEY", "main true", ""},
		{"-api", "GOOGLE_GENERATIVE_AI_API_KEY", "main true", ""},
		{"-ask x", "OPENAI_API_KEY", "main true", ""},
		{"-ask x", "", "main true", ""},
		{"-ask x", "GOOGLE_GENERATIVE_AI_API_KEY", "main false", ""}, // of a module that was downloaded
		{"-ask x", "GOOGLE_GENERATIVE_AI_API_KEY", "", ""},           // not in a module
	} {
		for _, key := range []string{"GOOGLE_GENERATIVE_AI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL"} {
			t.Setenv(key, "")
		}
		if c.key != "" {
			t.Setenv(c.key, "sk-hunter2")
		}
		t.Setenv("LISTED", c.listed)
		os.Remove(asked)
		code, ran := App{Setup: "-"}.withGemini(strings.Fields(c.args))
		got, _ := os.ReadFile(asked)
		if string(got) != c.want || ran != (c.want != "") || ran && code != 7 {
			t.Errorf("%q with %s, %q: ran %v, exit %d, %q", c.args, c.key, c.listed, ran, code, got)
		}
	}
}
