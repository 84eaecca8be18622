package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/draft"
)

// clients are those for which exo init knows where a server is configured.
func clients() []string { return []string{"claude", "codex", "cursor", "vscode"} }

// snippet is what a client is given to start exo serve on a file.
func snippet(client, file, env string, d *draft.Draft) string {
	args := []string{"serve", file}
	if d.Tenant != nil {
		args = append(args, "-as", d.Tenant.Claim+"="+strings.ToUpper(d.Tenant.Type))
	}
	name := "exo"
	const value = "the URL of the database"
	server := map[string]any{"command": cli.ProgramName, "args": args}
	if env != "" {
		server["env"] = map[string]string{env: value}
	}
	where, key := "", "mcpServers"
	switch client {
	case "claude":
		where = "claude_desktop_config.json, or .mcp.json of Claude Code"
	case "cursor":
		where = ".cursor/mcp.json"
	case "vscode":
		where, key = ".vscode/mcp.json", "servers"
		server["type"] = "stdio"
	case "codex":
		var b strings.Builder
		fmt.Fprintf(&b, "# ~/.codex/config.toml\n[mcp_servers.%s]\ncommand = %s\nargs = %s\n", name, asJSON(cli.ProgramName), asJSON(args))
		if env != "" {
			fmt.Fprintf(&b, "env = { %s = %s }\n", env, asJSON(value))
		}
		return b.String()
	}
	text, err := json.MarshalIndent(map[string]any{key: map[string]any{name: server}}, "", "  ")
	if err != nil {
		panic("exo: " + err.Error()) // texts, lists and maps of them
	}
	return "// " + where + "\n" + string(text) + "\n"
}

// asJSON is a text or a list of texts, which TOML writes as JSON does.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("exo: " + err.Error())
	}
	return string(b)
}
