package frame

import (
	"github.com/exoagent/exoagent/internal/wire"
)

// AppendHello greets the host with the walls that hold the worker, a bit for each, and the size of its program in memory.
func AppendHello(b []byte, walls, size uint64) []byte {
	b = append(Begin(b, KindHello), Version, wire.Encoding)
	b = wire.AppendUint(b, walls)
	return End(wire.AppendUint(b, size))
}

// DecodeHello reads what a worker says before it has met any program.
func DecodeHello(s string, allWalls uint64) (walls, size uint64, err error) {
	r := read(s)
	if r.Byte() != Version || r.Byte() != wire.Encoding {
		r.Fail("another version")
	}
	walls, size = uint64(r.UpTo(allWalls)), r.Uint()
	return walls, size, r.done()
}
