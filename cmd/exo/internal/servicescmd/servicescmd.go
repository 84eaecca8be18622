// Package servicescmd has the command that shows what the services in a grant file offer.
package servicescmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/services"
	"github.com/exoagent/exoagent/internal/printable"
)

// Command returns the command exo services. The function read reads the grant file that the arguments name.
func Command(read func(args []string) (*grantfile.File, error)) cli.Command {
	return cli.Command{
		Name:  "services",
		Args:  "[FILE]",
		Short: "show what the services of a grant file offer, and the digests to pin",
		Long: `Connects to each service of a grant file (default: exo.yaml), and lists every call that it offers: which of them programs may make by the
file, what its server says of it, and of an MCP server the schemas. A call in none of the file's lists does not exist for programs. What a server says of itself
need not be true: decide by what the call can do with the credentials that the file gives it.

Then it prints the digest of what the file uses. Once you have read that, write it as pin: a service that offers something else is refused.
No call is made, and the file need not be reviewed: its commands are started, and its secrets sent, all the same. So look at these lines of the
file first (exo show).

examples:
  exo services exo.yaml
  exo services -json > offers.json
`,
		Exits: "exit codes:\n  0  each service is what is pinned\n  1  a service is not what is pinned, or can't be reached\n  2  the command line is wrong\n  3  the file can't be read\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			asJSON := fs.Bool("json", false, "print it as JSON")
			return func(ctx context.Context, std cli.Stdio, args []string) error {
				f, err := read(args)
				if err != nil {
					return err
				}
				return show(ctx, std, f, *asJSON)
			}
		},
		Values: map[string][]string{"": {cli.AnyFile}},
	}
}

// offered describes one service in the form of -json.
type offered struct {
	Service string           `json:"service"`
	Calls   []services.Offer `json:"calls"`
	Digest  string           `json:"digest,omitempty"` // the digest of the part that the file uses
	Pinned  bool             `json:"pinned"`
	Problem string           `json:"problem,omitempty"`
}

func show(ctx context.Context, std cli.Stdio, f *grantfile.File, asJSON bool) error {
	if len(f.Services) == 0 {
		_, err := fmt.Fprintf(std.Err, "%s names no services\n", f.Name)
		return err
	}
	all, right := []offered{}, true
	for i := range f.Services {
		s := &f.Services[i]
		o := offered{Service: s.Text, Calls: []services.Offer{}}
		calls, digest, err := s.Offers(ctx, os.Getenv)
		o.Calls = append(o.Calls, calls...)
		if o.Digest, o.Pinned = digest, err == nil && digest == s.Pin.Text; err != nil {
			o.Problem = err.Error()
		}
		right = right && o.Pinned
		all = append(all, o)
		if !asJSON {
			if err := o.print(std.Out); err != nil {
				return err
			}
		}
	}
	if asJSON {
		if _, err := fmt.Fprintf(std.Out, "%s\n", printable.MarshalIndent(all, "", "  ")); err != nil {
			return err
		}
	}
	if !right {
		return &cli.Failure{Code: cli.ExitFound, Err: errors.New("at least one service has no `pin` or a wrong one, or can't be used: the lines above say which one and what to write")}
	}
	return nil
}

// print writes a service for a person. All texts except the digest come from the server.
func (o *offered) print(w io.Writer) error {
	fmt.Fprintf(w, "service %s\n", o.Service)
	for _, c := range o.Calls {
		use := c.Use
		use = cmp.Or(use, "not granted")
		fmt.Fprintf(w, "  %s (%s)\n", printable.OneLine(c.Name), use)
		if c.Route != "" && c.Route != c.Name {
			fmt.Fprintf(w, "    sends: %s\n", printable.OneLine(c.Route))
		}
		if c.Description != "" {
			fmt.Fprintf(w, "    says: %s\n", printable.OneLine(c.Description))
		}
		for _, schema := range []struct {
			what string
			text json.RawMessage
		}{{"takes", c.Input}, {"gives", c.Output}} {
			if len(schema.text) > 0 && string(schema.text) != "null" {
				fmt.Fprintf(w, "    %s: %s\n", schema.what, printable.JSON(schema.text))
			}
		}
	}
	var err error
	switch {
	case o.Problem != "":
		_, err = fmt.Fprintf(w, "  problem: %s\n", printable.OneLine(o.Problem))
	case o.Pinned && o.Digest == "": // a service of exo itself, which has no digest
	case o.Pinned:
		_, err = fmt.Fprintf(w, "  pinned: %s\n", o.Digest)
	default:
		_, err = fmt.Fprintf(w, "  not pinned: once you have read these lines, write into the file\n    pin: %s\n", o.Digest)
	}
	return err
}
