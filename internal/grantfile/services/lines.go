package services

// This file lists the declarations of a service, for a reviewer of the file.

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

// Where returns the kind and the address or command of the service, for a reviewer.
func (s *Service) Where() string {
	switch {
	case s.MCP.Text != "":
		return "an MCP server at " + s.MCP.Text
	case s.Files.Text != "":
		return "the folder " + s.Files.Text
	case s.Command != nil:
		return fmt.Sprintf("the MCP server %q", s.Command)
	case s.Mail.Text != "":
		return fmt.Sprintf("mails by %s, from %s", s.Mail.Text, s.From)
	case s.Chat.Text != "":
		return "a chat of " + s.Chat.Text
	case s.Webhook.Text != "":
		return "signed events to " + s.Webhook.Text
	}
	return fmt.Sprintf("an HTTP API at %s, described by %s", s.API.Text, s.OpenAPI)
}

// Lines adds a line for each declaration of the service. The function add takes a subject, a key and a value.
func (s *Service) Lines(add func(of, what, format string, args ...any)) {
	of := "service " + s.Text
	add(of, "", "%s", s.Where())
	for _, what := range s.Has() {
		add(of, what, "")
	}
	for _, kind := range []struct {
		what  string
		calls []Call
	}{{"may read by ", s.Reads}, {"may act, once a program has ended well, by ", s.Acts}, {"may act at once by ", s.Immediate}} {
		for _, c := range kind.calls {
			how := ""
			if c.Text != c.Of {
				how = c.Of
			}
			add(of, kind.what+c.Text, "%s", how)
		}
	}
	for _, n := range s.Approve {
		add(of, "a person agrees to "+n.Text, "")
	}
	if len(s.Label) > 0 {
		add(of, "answers are labelled", "%s", strings.Join(strict.Texts(s.Label), ", "))
	}
	for _, n := range s.Admits {
		add(of, "is sent what was read of "+n.Text, "")
	}
	if s.Answer > 0 {
		add(of, "answers", "of %d bytes at most", s.Answer)
	}
	if s.Time > 0 {
		add(of, "a call takes", "%s at most", s.Time)
	}
	if s.Pin.Text != "" {
		add(of, "pinned", "%s", s.Pin.Text)
	}
	if s.Doc != "" {
		add(of, "described as", "%q", s.Doc)
	}
}

// Has lists what the file gives a service: the places of secrets, variables, files and networks.
func (s *Service) Has() (out []string) {
	if s.Files.Text != "" {
		return s.filesHas()
	}
	for _, x := range s.Secrets {
		how := x.From.String()
		if x.Command != nil {
			how = fmt.Sprintf("what %q prints", x.Command)
		}
		if x.OAuth.Text != "" {
			how = fmt.Sprintf("tokens of %s for the client %q, scopes %q, networks %v, whose secret is %s", x.OAuth.Text, x.Client, x.Scopes, x.Networks, how)
		}
		if x.Prefix != "" {
			how += fmt.Sprintf(", behind %q", x.Prefix)
		}
		out = append(out, "gets the secret "+x.Text+": "+how)
	}
	for _, list := range []struct {
		what string
		of   []string
	}{{"has the variable ", s.Env}, {"may read the files of ", s.Read}, {"may change the files of ", s.Write}} {
		for _, x := range list.of {
			out = append(out, list.what+x)
		}
	}
	for _, to := range s.To {
		out = append(out, fmt.Sprintf("sends to %s: %s", to.Text, to.Of))
	}
	for _, p := range s.Networks {
		out = append(out, "is in the network "+p.String())
	}
	return append(out, strict.Each(s.keys(&strict.Reader{}))...)
}
