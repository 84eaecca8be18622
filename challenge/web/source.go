package web

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/exoagent/exoagent/challenge/game"
)

// revision is one that a repository has: what was changed since is in none.
var revision = regexp.MustCompile(`^[0-9a-f]{40}$`)

// version is that of this program; a test may give another.
var version = game.Source

// checkSource refuses what is no address of a repository.
func checkSource(repository string) error {
	if repository == "" {
		return nil
	}
	u, err := url.Parse(repository)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("web: %q is no address of a repository, as https://github.com/exoagent/exoagent", repository)
	}
	return nil
}

// Code is the address of a file in the repository as it was at a revision, "" of the
// whole; or "" where no address is known to show what this program was made of.
func (p page) Code(at, path string) string {
	if p.repository == "" || !revision.MatchString(at) {
		return ""
	}
	base := strings.TrimRight(p.repository, "/")
	if path == "" {
		return base + "/tree/" + at
	}
	return base + "/blob/" + at + "/" + path
}
