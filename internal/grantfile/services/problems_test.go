package services_test

// This file has grant files whose services can't be meant.

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/grantfile"
)

// TestServiceProblems: a file that can't be meant is an error at its line, which says what to write.
func TestServiceProblems(t *testing.T) {
	for text, want := range map[string]string{
		"  a: {}": "5:3: the service a: want exactly one of `mcp`",
		"  a: {mcp: https://x.example.com, api: https://x.example.com, reads: x}":                                                                  "want exactly one of `mcp`",
		"  a: {mcp: http://x.example.com, reads: x}":                                                                                               "add `networks`, like `networks: [10.1.0.0/16]`",
		"  a: {mcp: 'https://u:hunter2@x.example.com', reads: x}":                                                                                  "without a user",
		"  a: {command: [node, x], reads: x}":                                                                                                      "want the absolute path",
		"  a: {command: node, reads: x}":                                                                                                           "want a list of the program's absolute path",
		"  a: {mcp: https://x.example.com, network: true, reads: x}":                                                                               "are only for a service with `command`",
		"  a: {command: [/x], networks: 10.0.0.0/8, reads: x}":                                                                                     "write `network: true`",
		"  a: {mcp: https://x.example.com, networks: 10.0.0.1/8, reads: x}":                                                                        "want a network like 10.1.0.0/16",
		"  a: {api: https://x.example.com, reads: x}":                                                                                              "`api` needs `openapi: FILE`",
		"  a: {mcp: https://x.example.com, reads: [x], acts: [x]}":                                                                                 "`x` is listed twice among `reads`, `acts` and `immediate`",
		"  a: {mcp: https://x.example.com, reads: {y: x}}":                                                                                         "write a list, like [x]",
		"  a: {mcp: https://x.example.com, reads: [x], approve: [x]}":                                                                              "want calls of `acts`, not `x`",
		"  a: {mcp: https://x.example.com, reads: [x], label: [pii]}":                                                                              "write `admits: [pii]` at the service as well",
		"  a: {command: [/x], reads: [x], env: {A: b}, secrets: {A: env:X}}":                                                                       "`A` is in `env`, too",
		"  a: {command: [/x], reads: [x], env: {'A=B': c}}":                                                                                        "`A=B` can't be the name of a variable",
		"  a: {command: [/x], reads: [x], secrets: {'A B': env:X}}":                                                                                "the secret `A B` is a variable of a process",
		"  $a: {command: [/x], reads: [x]}":                                                                                                        "write a name that begins with a letter from a to z",
		"  é: {command: [/x], reads: [x]}":                                                                                                         "write a name that begins with a letter from a to z",
		"  a: {mcp: 'https://x.example.com:0443', reads: [x]}":                                                                                     "want an address like",
		"  a: {mcp: http://127.0.0.1:3000/mcp, networks: 127.0.0.0/8, reads: [x]}":                                                                 "like api.example.com or localhost, no IP address",
		"  a: {mcp: http://x.example.com, networks: 10.0.0.0/8, reads: [x], secrets: {A: env:X}}":                                                  "would be sent unencrypted",
		"  a: {mcp: https://x.example.com, networks: 8.0.0.0/8, reads: [x]}":                                                                       "no loopback or private network",
		"  a: {mcp: https://x.example.com, reads: [x], secrets: {Content-Length: env:X}}":                                                          "no header that the connection uses itself",
		"  a: {mcp: https://x.example.com, reads: [x], label: ['pii@member']}":                                                                     "the answers of a service have no single reader: write `pii` without what follows @",
		"  a: {mcp: https://x.example.com, reads: [x], label: [pi]}":                                                                               "`labels` has no tag `pi`",
		"  a: {mcp: https://x.example.com, reads: [x], secrets: {A: 'hunter2'}}":                                                                   "write where the text is, as env:NAME (a variable) or file:PATH, and never the text itself",
		"  a: {mcp: https://x.example.com, reads: [x], secrets: {A: {prefix: x}}}":                                                                 "by one of `from: env:NAME`",
		"  a: {command: [/x], reads: [x], secrets: {A: {from: env:X, prefix: x}}}":                                                                 "leave `prefix` out",
		"  a: {mcp: https://x.example.com, reads: [x], secrets: {A: {oauth: https://y.example.com/t, from: env:X}}}":                               "`oauth` needs `client`",
		"  a: {mcp: https://x.example.com, reads: [x], secrets: {A: {from: env:X, scopes: [y]}}}":                                                  "are only for a secret with `oauth`",
		"  a: {mcp: https://x.example.com, reads: [x], secrets: {A: {oauth: https://y.example.com/t, client: c, from: env:X, prefix: 'Bearer '}}}": "leave `prefix` out: exo itself",
		"  a: {mcp: https://x.example.com, reads: [x], secrets: {A: {oauth: http://y.example.com/t, client: c, from: env:X}}}":                     "want an address like https://login.example.com/token",
		"  a: {mcp: https://x.example.com, reads: [x], secrets: {A: {oauth: https://y.example.com/t, client: c}}}":                                 "by one of `from: env:NAME`",
		"  a: {command: [/x], reads: [x], secrets: {A: {oauth: https://y.example.com/t, client: c, from: env:X}}}":                                 "leave `oauth` out",
		"  a: {mcp: https://x.example.com, tools: [x]}":                                                                                            "`tools` is no key of the service a",
		"  class: {mcp: https://x.example.com, reads: x}":                                                                                          "it is a word of JavaScript",
		"  a: {mcp: https://x.example.com, acts: x, approve: x}":                                                                                   "the file does not say where changes wait",
		"  a: {mcp: https://x.example.com, acts: x}\npreset: read-only@1":                                                                          "the preset read-only@1 lets programs change nothing, but the service a has calls that act",
	} {
		_, err := grantfile.Parse("exo.yaml", []byte(file(text+"\n")))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s\n%v, want %q", text, err, want)
		}
	}
}
