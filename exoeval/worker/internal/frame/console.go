package frame

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/wire"
)

// AppendConsole writes a line that the program logged. It leaves out the run, which the host knows.
func AppendConsole(b []byte, l exo.Line) []byte {
	return End(wire.AppendText(append(Begin(b, KindConsole), byte(l.Level)), l.Text))
}

// DecodeConsole reads a logged line. The session limits the number of lines and decides who may read them.
func DecodeConsole(s string, limits exo.Limits) (l exo.Line, err error) {
	defer recovered(&err)
	r := read(s)
	l = exo.Line{Level: exo.Level(r.Byte()), Text: r.short(limits.LineBytes())}
	return l, r.done()
}
