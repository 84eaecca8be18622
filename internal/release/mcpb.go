package main

import "strings"

// mcpb makes the bundle for Claude Desktop, for one platform. Its manifest has version 0.3 of anthropics/mcpb.
//
// The bundle starts exo try -serve, which serves nothing before a person has agreed at a terminal. Until then its only tool returns the
// command to type there, so that a user who asks Claude about the database finds it.
func mcpb(src *source, p platform, commands []entry) (string, []byte, error) {
	system, _, _ := strings.Cut(p.node, "-")
	at := "server/" + p.exe()
	field := func(title, about string, secret bool) map[string]any {
		f := map[string]any{"type": "string", "title": title, "description": about, "required": true}
		if secret {
			f["sensitive"] = true
		}
		return f
	}
	manifest := asJSON("manifest.json", map[string]any{
		"manifest_version": "0.3", "name": "exo", "display_name": "exo", "version": src.version, "description": about,
		"long_description": "Claude writes small programs, which read the rows of one tenant of your database and nothing else.\n\n" +
			"Before anything is served, a person agrees to it at a terminal, once: `exo try URL -client claude` shows the columns and asks. " +
			"Until then the tool says so, with the whole command.",
		"author": map[string]string{"name": "exoagent", "url": homepage}, "homepage": homepage, "documentation": homepage + "/blob/main/docs/mcp.md", "license": "MIT",
		"repository": map[string]string{"type": "git", "url": homepage},
		"server": map[string]any{"type": "binary", "entry_point": at, "mcp_config": map[string]any{
			"command": "${__dirname}/" + at,
			"args":    []string{"try", "env:EXO_DATABASE_URL", "-as", "${user_config.who}", "-serve"},
			"env":     map[string]string{"EXO_DATABASE_URL": "${user_config.database_url}"},
		}},
		"tools":             []map[string]string{{"name": "execute", "description": "Runs a program on the rows that were agreed to."}},
		"prompts_generated": true,
		"compatibility":     map[string]any{"platforms": []string{system}},
		"user_config": map[string]any{
			"database_url": field("Database URL", "postgres://user:password@host/database, or sqlite: and the whole path of a file", true),
			"who":          field("Whose rows", "Like org=1: what exo try URL prints behind -as", false),
		},
	})
	body, err := zipped(manifest, entry{"LICENSE", 0o644, src.license}, entry{at, 0o755, commands[0].body}) // without exo-worker: one person runs few programs
	return "exo-" + src.version + "-" + p.node + ".mcpb", body, err
}
