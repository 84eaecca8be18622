package worker

import "github.com/exoagent/exoagent/internal/wire"

// appendHello greets the host with the walls that hold the worker, a bit for each, and the size of its program in memory.
func appendHello(b []byte, walls, size uint64) []byte {
	b = append(begin(b, frameHello), version, wire.Encoding)
	b = wire.AppendUint(b, walls)
	return end(wire.AppendUint(b, size))
}

// decodeHello reads what a worker says before it has met any program.
func decodeHello(s string, allWalls uint64) (walls, size uint64, err error) {
	r := read(s)
	if r.Byte() != version || r.Byte() != wire.Encoding {
		r.Fail("another version")
	}
	walls, size = r.UpTo(allWalls), r.Uint()
	return walls, size, r.done()
}
