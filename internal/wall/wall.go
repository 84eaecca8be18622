// Package wall closes a process off before hostile code runs in it. Workers use its parts for their own process. [Start] runs another
// program within walls: this binary starts again, closes itself off, and becomes that program, so no host's main runs and nothing of the
// program runs before. What a kernel does not have is reported as missing.
package wall

import "slices"

// Walls is a set of walls round a process.
type Walls uint32

const (
	Files       Walls = 1 << iota // the kernel refuses all files but those of the Spec (Landlock)
	Network                       // the kernel refuses all sockets
	SystemCalls                   // the kernel refuses system calls that open the machine: mounts, tracing, keys, new namespaces
	Resources                     // the kernel bounds memory, open files and the size of files of each process
	Tied                          // the kernel ends the process with its host
	Apart                         // its processes see and signal no others, and all end with the first

	All Walls = 1<<iota - 1
)

var names = []string{"files", "network", "system calls", "resources", "tied", "apart"}

// Names lists the walls of w.
func (w Walls) Names() (list []string) {
	for bit, name := range names {
		if w>>bit&1 == 1 {
			list = append(list, name)
		}
	}
	return list
}

// Named is the inverse of Names. An unknown name is a wall that no system has.
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

// Spec is a program to be started. It has no variable but those that are listed here, and no file or network but those as far as the system has
// walls: elsewhere than on Linux it has none, and Process.Missing lists them all.
type Spec struct {
	Path    string   // the program: an absolute path
	Args    []string // its arguments, without its name
	Env     []string // its whole environment, as NAME=value
	Dir     string   // its folder; "": the root
	Read    []string // files and folders that it may read, and execute
	Write   []string // files and folders that it may read and change, and not execute
	Network bool     // it may use IPv4 and IPv6, to every address
	Memory  uint64   // the most bytes of memory that a process of it has alone, shared memory not counted
	Require Walls    // the walls without which it is not started
}

// wanted are the walls that a program of this Spec can have.
func (s *Spec) wanted() Walls {
	if s.Network {
		return All &^ Network
	}
	return All
}
