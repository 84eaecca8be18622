// Package wall closes a process off before hostile code runs in it. Workers use its parts for their own process. [Start] runs another program
// within walls: this binary starts again, closes itself off, and becomes that program. So no host's main runs there, and the program runs only
// within the walls. Walls that the kernel lacks are reported as missing.
package wall

import "slices"

// Walls is a set of walls round a process.
type Walls uint32

const (
	Files       Walls = 1 << iota // Files: the kernel refuses all files but those of the Spec (Landlock)
	Network                       // Network: the kernel refuses all sockets
	SystemCalls                   // SystemCalls: the kernel refuses calls that could undo the other walls: mounts, tracing, keys, new namespaces
	Resources                     // Resources: the kernel bounds memory, open files and the size of files of each process
	Tied                          // Tied: the kernel ends the process with its host
	Apart                         // Apart: the program's processes see and signal no others, and all end with the first one

	All Walls = 1<<iota - 1
)

var names = []string{"files", "network", "system calls", "resources", "tied", "apart"}

// Names returns the names of the walls in w.
func (w Walls) Names() (list []string) {
	for bit, name := range names {
		if w>>bit&1 == 1 {
			list = append(list, name)
		}
	}
	return list
}

// Named is the inverse of Names. An unknown name becomes a wall that no system has.
func Named(list ...string) (w Walls) {
	for _, name := range list {
		bit := slices.Index(names, name)
		if bit < 0 {
			bit = len(names)
		}
		w |= 1 << bit
	}
	return w
}

// Spec describes a program to start. The program gets only the variables, files and networks in the Spec, as far as the system has walls. Only
// Linux has walls; Process.Missing lists those that a system lacks.
type Spec struct {
	Path    string   // the absolute path of the program
	Args    []string // the program's arguments, without its name
	Env     []string // the whole environment, as NAME=value
	Dir     string   // the folder in which the program starts; "" means the root
	Read    []string // files and folders that the program may read and execute
	Write   []string // files and folders that the program may read and change, but not execute
	Network bool     // the program may use IPv4 and IPv6, to all addresses
	Memory  uint64   // the most bytes of memory that each of its processes may have, without shared memory
	Require Walls    // the walls without which the program is not started
}

// wanted returns the walls that a program with this Spec can have.
func (s *Spec) wanted() Walls {
	if s.Network {
		return All &^ Network
	}
	return All
}
