package mcpclient_test

// This file tries servers that people use, from npm. ./test.sh installs them.

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/mcpclient"
	"github.com/exoagent/exoagent/exo/value"
)

// TestServersOfNPM: real servers start within the walls, with no more than their own folder and one to work in; their tools have types, and answer.
func TestServersOfNPM(t *testing.T) {
	dir, node := os.Getenv("EXO_MCP_SERVERS"), os.Getenv("EXO_MCP_NODE")
	if dir == "" || node == "" || runtime.GOOS != "linux" {
		t.Skip("EXO_MCP_SERVERS and EXO_MCP_NODE name no folder of servers and no Node.js: ./test.sh sets them")
	}
	for _, c := range []struct {
		script      string
		reads, acts []string
		call, want  string
		arg         func(work string) any
		out         bool // the tool has a type of its answer
	}{
		{"@modelcontextprotocol/server-everything/dist/index.js", []string{"echo", "get-sum", "get-annotated-message", "get-resource-links"}, nil, "get_sum", "5",
			func(string) any { return record("a", value.Int(2), "b", value.Int(3)) }, false},
		{"@modelcontextprotocol/server-everything/dist/index.js", []string{"get-structured-content"}, nil, "get_structured_content", "temperature",
			func(string) any { return record("location", value.Text("New York")) }, true},
		{"@modelcontextprotocol/server-everything/dist/index.js", []string{"get-env"}, nil, "get_env", "{}", nil, false},
		{"@modelcontextprotocol/server-filesystem/dist/index.js", []string{"read_text_file", "list_directory", "search_files", "get_file_info", "list_allowed_directories"}, []string{"write_file", "edit_file", "move_file"},
			"read_text_file", "what the file says", func(work string) any { return record("path", value.Text(filepath.Join(work, "note"))) }, true},
		{"@modelcontextprotocol/server-memory/dist/index.js", []string{"read_graph", "search_nodes", "open_nodes"}, []string{"create_entities", "delete_entities"}, "read_graph", "entities", nil, true},
		{"@modelcontextprotocol/server-sequential-thinking/dist/index.js", []string{"sequentialthinking"}, nil, "sequentialthinking", "thoughtNumber", func(string) any {
			return record("thought", value.Text("first"), "thoughtNumber", value.Int(1), "totalThoughts", value.Int(2), "nextThoughtNeeded", value.Bool(true))
		}, true},
		{"@coo-quack/calc-mcp/dist/index.js", []string{"math", "base64"}, nil, "math", "42", func(string) any { return record("expression", value.Text("6*7")) }, false},
	} {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(c.script)))+"/"+c.call, func(t *testing.T) {
			work := t.TempDir()
			if err := os.WriteFile(filepath.Join(work, "note"), []byte("what the file says"), 0o600); err != nil {
				t.Fatal(err)
			}
			s := mcpclient.Server{Name: "Tool", Reads: c.reads, Acts: c.acts, Command: &mcpclient.Command{
				Path: node, Args: []string{filepath.Join(dir, "node_modules", c.script), work}, Env: []string{"MEMORY_FILE_PATH=" + filepath.Join(work, "memory.json")},
				Dir: work, Read: append(libraries(), filepath.Join(dir, "node_modules"), "/etc/ssl"), Write: []string{work},
			}}
			if testing.Verbose() {
				s.Command.Errors = os.Stderr
			}
			if strings.Contains(c.script, "everything") {
				s.Command.Args[1] = "stdio"
			}
			if c.call == "get_env" {
				s.Command.Env = nil
			}
			s.Pin = pinOf(t, s)
			o := pinned(t, s)
			t.Logf("walls missing: %v", o.Missing())
			d, err := o.Describe()
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range d.Interfaces[0].Names() {
				m := d.Interfaces[0].Methods[name]
				for _, p := range m.Params {
					t.Logf("%s(%v): %v", name, p.Want.Con, m.Result.Con)
				}
			}
			var args []any
			if c.arg != nil {
				args = append(args, c.arg(work))
			}
			v, err := exotest.Send(t, o, c.call, args...)
			text, _ := v.AppendJSON(nil)
			if err != nil || !strings.Contains(string(text), c.want) || (v.Type() == value.TypeRecord) != c.out {
				t.Errorf("%s %v, want %s", text, err, c.want)
			}
			if strings.Contains(c.script, "filesystem") { // the server's own check of paths is not the only one
				s.Command.Args[1] = "/"
				wide := pinned(t, s)
				if v, err := exotest.Send(t, wide, c.call, record("path", value.Text("/etc/passwd"))); !errors.Is(err, mcpclient.ErrTool) {
					t.Errorf("%v %v", v, err)
				}
			}
		})
	}
}
