package testutil

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
)

// Expect is the required end of a program. The last lines of a chunk declare it:
//
//	//=> JSON             with this result
//	//~> "text"           with a result that contains the text
//	//! kind "text"       with an error of this kind and a message that contains the text
//	//log "text"          and (before one of the above) the console contains the text
//	//at 2:7              and the error is at this line and column of the chunk
type Expect struct {
	JSON, Holds, Kind, Text string
	Log                     []string
	Line, Column            int
}

var expectation = regexp.MustCompile(`(?m)(?:^|[ \t])//(=>|~>|!|log|at)[ \t]+(.*?)[ \t]*$`)

// Cut removes the expectations from a program.
func Cut(chunk string) (program string, want Expect, err error) {
	for _, m := range expectation.FindAllStringSubmatch(chunk, -1) {
		switch m[1] {
		case "=>":
			want.JSON = m[2]
		case "~>":
			if want.Holds, err = strconv.Unquote(m[2]); err != nil {
				return "", want, fmt.Errorf("after %s want a Go string in double quotes; got %s", m[1], m[2])
			}
		case "!":
			kind, text, _ := strings.Cut(m[2], " ")
			want.Kind = kind
			if text != "" {
				if want.Text, err = strconv.Unquote(strings.TrimSpace(text)); err != nil {
					return "", want, fmt.Errorf("after ! KIND want a Go string in double quotes; got %s", text)
				}
			}
		case "log":
			s, err := strconv.Unquote(m[2])
			if err != nil {
				return "", want, fmt.Errorf("after %s want a Go string in double quotes; got %s", m[1], m[2])
			}
			want.Log = append(want.Log, s)
		case "at":
			if _, err := fmt.Sscanf(m[2], "%d:%d", &want.Line, &want.Column); err != nil {
				return "", want, fmt.Errorf("after at want line:column, not %s", m[2])
			}
		}
	}
	n := 0
	for _, s := range []string{want.JSON, want.Holds, want.Kind} {
		if s != "" {
			n++
		}
	}
	if n != 1 {
		return "", want, fmt.Errorf("want exactly one of //=> //~> //!, got %d", n)
	}
	return expectation.ReplaceAllString(chunk, ""), want, nil
}

// Check compares an outcome with the expectation. It returns "" if they agree.
func (want Expect) Check(o Outcome) string {
	switch {
	case want.Kind != "":
		if o.Result != nil && o.Result.Err == nil || o.Kind.String() != want.Kind || !strings.Contains(o.Message, want.Text) {
			return fmt.Sprintf("got %s\nwant an error of kind %s with %q", o, want.Kind, want.Text)
		}
	case want.Holds != "":
		if o.Kind != 0 || !strings.Contains(o.JSON, want.Holds) {
			return fmt.Sprintf("got %s\nwant a result with %q", o, want.Holds)
		}
	case o.Kind != 0 || !SameJSON(o.JSON, want.JSON):
		return fmt.Sprintf("got %s\nwant %s", o, want.JSON)
	}
	for _, l := range want.Log {
		if !strings.Contains(o.Console, l) {
			return fmt.Sprintf("the console has %q\nwant %q in it", o.Console, l)
		}
	}
	if want.Line > 0 && o.Result != nil && o.Result.Err != nil {
		if at := fail.PosOf(o.Result.Err); at.Line != want.Line || at.Column != want.Column {
			return fmt.Sprintf("the error is at %d:%d, want %d:%d (%s)", at.Line, at.Column, want.Line, want.Column, o.Message)
		}
	}
	return ""
}
