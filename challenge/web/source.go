package web

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/exoagent/exoagent/challenge/game"
)

// revision matches a revision that a repository has. A version with local changes does not match.
var revision = regexp.MustCompile(`^[0-9a-f]{40}$`)

// version returns this program's version; a test may replace it.
var version = game.Source

// checkSource refuses a text that is no repository's address.
func checkSource(repository string) error {
	if repository == "" {
		return nil
	}
	u, err := url.Parse(repository)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("web: the SourceURL %q is no address of a repository: want one like https://github.com/exoagent/exoagent", repository)
	}
	return nil
}

// Code returns the address of a file in the repository at a revision; path "" means the whole repository. It returns "" if no address shows
// this program's source.
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
