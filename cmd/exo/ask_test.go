package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/testutil"
)

// modelThatRuns is the model that the environment names: a server that speaks as OpenAI does. It runs one program, and then answers
// with what that returned. sent are the requests that it got.
func modelThatRuns(t *testing.T, program string) (sent *[]string) {
	t.Helper()
	sent = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*sent = append(*sent, string(body))
		var asked struct {
			Messages []struct {
				Role    string
				Content any
			}
		}
		_ = json.Unmarshal(body, &asked)
		args, _ := json.Marshal(map[string]string{"code": program})
		delta := map[string]any{"tool_calls": []any{map[string]any{"index": 0, "id": "c1", "type": "function", "function": map[string]any{"name": "execute", "arguments": string(args)}}}}
		if n := len(asked.Messages); n > 0 && asked.Messages[n-1].Role == "tool" {
			delta = map[string]any{"content": fmt.Sprint("It is ", asked.Messages[n-1].Content)}
		}
		text, _ := json.Marshal(delta)
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":%s}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", text)
	}))
	t.Cleanup(s.Close)
	for name, value := range map[string]string{"GOOGLE_GENERATIVE_AI_API_KEY": "", "ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": "sk-hunter2", "OPENAI_BASE_URL": s.URL} {
		t.Setenv(name, value)
	}
	return sent
}

// TestAsk: the answer to a question is printed and nothing else, and the model reaches what the principal does.
func TestAsk(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		url := e.URL(t)
		raw := e.SQLDB(t, url)
		for _, s := range []string{"CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(9) NOT NULL)", "INSERT INTO customers VALUES (1, 'ann'), (2, 'bob')"} {
			if _, err := raw.Exec(s); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("GRANTS_TEST_DB", url)
		dir := t.TempDir()
		t.Chdir(dir)
		write(t, filepath.Join(dir, "exo.yaml"), grantsOfShop)
		sent := modelThatRuns(t, "me.select(c => c.name)")
		for _, c := range []struct {
			args []string
			code int
			out  string
			err  string
		}{
			{[]string{"exo.yaml", "-as", "customer=1", "-model", "openai:test", "Who am I?"}, cli.ExitDone, `It is {"result":["ann"]}` + "\n", ""},
			{[]string{"-as", "customer=2", "-model", "openai:test", "Who am I?"}, cli.ExitDone, `It is {"result":["bob"]}` + "\n", ""},
			{[]string{"-as", "customer=2", "-model", "openai:other", "-trace", "Who am I?"}, cli.ExitDone, `It is {"result":["bob"]}` + "\n", `"op":"me.select`},
			{[]string{"Who am I?"}, cli.ExitUsage, "", "the claim `customer` is missing"},
			{[]string{"-as", "customer=1", "exo.yaml"}, cli.ExitUsage, "", "the question is missing: write it in quotes, exo ask exo.yaml 'QUESTION'"},
			{[]string{"-as", "customer=1", "exo.yaml", " "}, cli.ExitUsage, "", "the question is empty"},
			{[]string{"-as", "customer=1", "exo.yaml", "Who", "am", "I?"}, cli.ExitUsage, "", "want a grant file and a question, not 4 arguments"},
			{[]string{"-as", "customer=1", "none.yaml", "Who am I?"}, cli.ExitCannot, "", "none.yaml"},
			{[]string{"-as", "customer=1", "-model", "nope", "Who am I?"}, cli.ExitUsage, "", "exo ask exo.yaml: the question was not asked: "},
		} {
			r := exo(t, "", append([]string{"ask"}, c.args...)...)
			if first, rest, found := strings.Cut(r.err, "\n"); found && strings.Contains(first, ": warning: the role ") { // of the tests' server
				r.err = rest
			}
			if r.code != c.code || r.out != c.out || !strings.Contains(r.err, c.err) || c.err == "" && r.err != "" {
				t.Errorf("%q: %+v\nwant %+v", c.args, r, c)
			}
		}
		if len(*sent) != 6 || !strings.Contains((*sent)[0], "Who am I?") || !strings.Contains((*sent)[4], `"model":"other"`) {
			t.Errorf("%d requests", len(*sent))
		}
		// What the file says about models holds for whoever asks.
		here := "openai:test@" + os.Getenv("OPENAI_BASE_URL") + "/"
		text, err := os.ReadFile("exo.yaml")
		if err != nil {
			t.Fatal(err)
		}
		write(t, "listed.yaml", string(text)+"models: [anthropic:claude-x, \""+here+"\"]\n")
		write(t, "elsewhere.yaml", string(text)+"models: openai:test\n")
		for _, c := range []struct {
			args []string
			out  string
			err  string
		}{
			{[]string{"listed.yaml"}, `It is {"result":["ann"]}` + "\n", ""},
			{[]string{"listed.yaml", "-model", "openai:test"}, `It is {"result":["ann"]}` + "\n", ""},
			{[]string{"listed.yaml", "-model", "openai:other"}, "", `the model "openai:other" is not allowed; the allowed models are: anthropic:claude-x, ` + here},
			{[]string{"elsewhere.yaml"}, "", "openai:test: in this environment the model's full name is " + here},
		} {
			before := len(*sent)
			r := exo(t, "", append(append([]string{"ask"}, c.args...), "-as", "customer=1", "Who am I?")...)
			if r.out != c.out || !strings.Contains(r.err, c.err) || (r.code == cli.ExitDone) != (c.err == "") || (len(*sent) == before) != (c.err != "") {
				t.Errorf("%q: %+v, %d requests\nwant %q", c.args, r, len(*sent)-before, c.err)
			}
		}
		t.Setenv("OPENAI_API_KEY", "")
		t.Setenv("OPENAI_BASE_URL", "")
		if r := exo(t, "", "ask", "-as", "customer=1", "Who am I?"); r.code != cli.ExitUsage || !strings.Contains(r.err, "no key for a model is set: set GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_API_KEY or ANTHROPIC_API_KEY") {
			t.Error(r)
		}
	})
}
