package cli

import "testing"

// TestRoff: no text becomes a request or an escape, wherever it stands.
func TestRoff(t *testing.T) {
	r := &roff{}
	r.prose(".so /etc/passwd\n'br \\fB\n  .indented\nx")
	r.macro("B", `a" .ps \n`)
	const want = ".PP\n" + `\&.so /etc/passwd` + "\n" + `\(aqbr \efB` + "\n.PP\n.RS 4\n.nf\n" + `\&.indented` + "\n.fi\n.RE\n.PP\nx\n" + `.B "a\(dq .ps \en"` + "\n"
	if r.String() != want {
		t.Errorf("%q\nwant %q", r.String(), want)
	}
}
