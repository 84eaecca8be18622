// Stranger is built of the same modules as a worker, and announces a later version of the frames.
package main

import (
	"os"
	"time"

	"github.com/dop251/goja"
)

func main() {
	_ = goja.New() // linked, so that the engine is among its modules
	os.NewFile(3, "host").Write([]byte{5, 0, 0, 0, 'h', 99, 1, 31, 1})
	time.Sleep(time.Minute)
}
