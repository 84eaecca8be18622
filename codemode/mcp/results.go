package mcp

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
)

// ResultLimits limit the kept results that were too large for the model. A field that is zero or
// negative means the default at the end of its comment.
type ResultLimits struct {
	Bytes int           // most bytes of one result; 4 MiB
	All   int           // most bytes of all results; 64 MiB
	Each  int           // most results of one identity; 8
	For   time.Duration // how long a result is kept; 10 min
}

func (l ResultLimits) orDefault() ResultLimits {
	if l.Bytes <= 0 {
		l.Bytes = 4 << 20
	}
	if l.All <= 0 {
		l.All = 64 << 20
	}
	if l.Each <= 0 {
		l.Each = 8
	}
	if l.For <= 0 {
		l.For = 10 * time.Minute
	}
	return l
}

// results has complete results, each with a random handle.
type results struct {
	limits ResultLimits

	mu    sync.Mutex
	kept  []*kept // the kept results, oldest first
	bytes int
}

type owner struct{ issuer, subject string }

type kept struct {
	handle string
	owner  owner
	text   string
	label  value.Label
	shown  value.Label // the labels of what the reader sees
	// The result can be read only by the same principal with the same declarations, so not after the grants have changed.
	principal    exo.Principal
	declarations string
	timer        *time.Timer
}

const resultURI = "exo://result/"

// keep keeps the complete result of a run and returns its address, or "" if it is too large.
func (r *results) keep(who Identity, t *codemode.Tool, res *codemode.Result) string {
	b := &bounded{left: min(r.limits.Bytes, r.limits.All)}
	if err := res.Value.WriteJSON(b); err != nil {
		return ""
	}
	k := &kept{handle: rand.Text(), owner: owner{who.Issuer, who.Subject}, text: b.String(), label: res.Label, shown: t.Shown(res), principal: t.Principal(), declarations: t.Declarations()}
	r.mu.Lock()
	defer r.mu.Unlock()
	mine := 0
	for _, o := range r.kept {
		if o.owner == k.owner {
			mine++
		}
	}
	if mine >= r.limits.Each {
		r.drop(func(o *kept) bool { return o.owner == k.owner })
	}
	for r.bytes+len(k.text) > r.limits.All {
		r.drop(func(*kept) bool { return true })
	}
	k.timer = time.AfterFunc(r.limits.For, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.drop(func(o *kept) bool { return o == k })
	})
	r.kept, r.bytes = append(r.kept, k), r.bytes+len(k.text)
	return resultURI + k.handle
}

// drop removes the oldest result for which meant returns true.
func (r *results) drop(meant func(*kept) bool) {
	for i, k := range r.kept {
		if meant(k) {
			k.timer.Stop()
			r.kept, r.bytes = append(r.kept[:i:i], r.kept[i+1:]...), r.bytes-len(k.text)
			return
		}
	}
}

// read returns a kept result. ok is false unless who is the result's own identity, the tool is still the
// same, and the model may still read the result's labels.
func (r *results) read(who Identity, t *codemode.Tool, uri string) (text string, shown value.Label, ok bool) {
	handle, ok := strings.CutPrefix(uri, resultURI)
	if !ok {
		return "", shown, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.kept {
		if k.handle == handle {
			ok := k.owner == owner{who.Issuer, who.Subject} && k.principal == t.Principal() && k.declarations == t.Declarations() && exo.MayLeave(k.label, t.Admits())
			if !ok {
				return "", shown, false
			}
			return k.text, k.shown, true
		}
	}
	return "", shown, false
}

// bounded is a buffer that refuses more bytes than its limit.
type bounded struct {
	bytes.Buffer
	left int
}

var errTooLarge = errors.New("mcp: the result is too large to be kept")

func (b *bounded) Write(p []byte) (int, error) {
	if len(p) > b.left {
		return 0, errTooLarge
	}
	b.left -= len(p)
	return b.Buffer.Write(p)
}
