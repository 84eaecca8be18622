package demo

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/exoagent/exoagent/internal/printable"
)

// This file shows a played story, as text for a terminal and as a page.

const (
	title  = "One ticket, one model that obeys it, two tools"
	intro  = "A support agent's model reads ticket 7, in which a stranger wrote an instruction. It obeys. Both lanes run what it asks for, on databases that begin alike; the model is a script, so no key and no network are needed."
	rawHas = "a tool that takes SQL"
	exoHas = "exoagent"
)

// narrow is the width in columns; a narrower terminal shows one lane below the other.
const narrow = 90

// Text writes the story for a terminal with this number of columns.
func (p *Played) Text(w io.Writer, width int) error {
	var b strings.Builder
	para := func(text string) { b.WriteString(strings.Join(wrap(text, width), "\n") + "\n") }
	b.WriteString(title + "\n\n")
	para(intro)
	for i, s := range p.Steps {
		fmt.Fprintf(&b, "\n%d. %s\n", i+1, s.Wish)
		exo := s.Exo
		if s.Refused {
			exo = "refused: " + exo
		}
		lanes(&b, width, rawHas+"\n> "+s.SQL+"\n"+s.Raw, exoHas+"\n> "+s.Code+"\n"+exo)
		for _, line := range wrap("why: "+s.Why, width-3) {
			b.WriteString("   " + line + "\n")
		}
	}
	b.WriteString("\nWhat left, and what was changed, counted in what came out:\n")
	para(rawHas + ": " + p.Raw.String())
	para(exoHas + ": " + p.Exo.String())
	_, err := io.WriteString(w, b.String())
	return err
}

func (t Tally) String() string {
	return fmt.Sprintf("%d of %d addresses, %d of %d keys, %d mails to the stranger, %d orders refunded", t.Addresses, len(secrets["addresses"]), t.Keys, len(secrets["keys"]), t.Mails, t.Refunded)
}

// lanes writes two texts side by side, or one below the other.
func lanes(b *strings.Builder, width int, left, right string) {
	if width < narrow {
		for _, line := range append(wrap(left, width-3), wrap(right, width-3)...) {
			b.WriteString("   " + line + "\n")
		}
		return
	}
	half := (width - 6) / 2
	l, r := wrap(left, half), wrap(right, half)
	for i := range max(len(l), len(r)) {
		var at [2]string
		if i < len(l) {
			at[0] = l[i]
		}
		if i < len(r) {
			at[1] = r[i]
		}
		b.WriteString(strings.TrimRight("   "+at[0]+strings.Repeat(" ", half-printable.Width(at[0]))+" | "+at[1], " ") + "\n")
	}
}

// wrap breaks each line of a text at spaces, and inside a word that is longer than the width.
func wrap(text string, width int) (out []string) {
	for line := range strings.SplitSeq(text, "\n") {
		have := ""
		for word := range strings.SplitSeq(line, " ") {
			if have != "" && printable.Width(have)+1+printable.Width(word) > width {
				out, have = append(out, have), ""
			}
			for printable.Width(word) > width {
				cut := strings.TrimSuffix(printable.Cut(word, width), "…")
				out, word = append(out, cut), word[len(cut):]
			}
			if have != "" {
				have += " "
			}
			have += word
		}
		out = append(out, have)
	}
	return out
}

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
.lanes { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem }
.lanes > div { border: 1px solid; border-radius: .4rem; padding: .6rem .8rem; overflow-wrap: anywhere }
pre { white-space: pre-wrap; margin: .3rem 0 }
th, td { text-align: left; padding: .2rem 1rem .2rem 0 }
@media (max-width: 40rem) { .lanes { grid-template-columns: 1fr } }
</style>
<h1>{{.Title}}</h1><p>{{.Intro}}</p>
<ol>{{range .Steps}}<li><h2>{{.Wish}}</h2><div class="lanes">
<div><strong>{{$.Raw}}</strong><pre><code>{{.SQL}}</code></pre><pre>{{.Raw}}</pre></div>
<div><strong>{{$.Exo}}</strong><pre><code>{{.Code}}</code></pre><pre>{{if .Refused}}refused: {{end}}{{.Exo}}</pre></div>
</div><p>Why: {{.Why}}</p></li>{{end}}</ol>
<h2>What left, and what was changed</h2>
<table><tr><th>{{.Raw}}</th><td>{{.RawTally}}</td></tr><tr><th>{{.Exo}}</th><td>{{.ExoTally}}</td></tr></table>
</html>
`))

// HTML writes the story as one page, without scripts or external resources.
func (p *Played) HTML(w io.Writer) error {
	return page.Execute(w, map[string]any{"Title": title, "Intro": intro, "Steps": p.Steps, "Raw": rawHas, "Exo": exoHas, "RawTally": p.Raw.String(), "ExoTally": p.Exo.String()})
}
