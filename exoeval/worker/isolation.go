package worker

import "strings"

// Isolation is a set of walls around a program: ways in which the system confines it. Which walls are possible depends on the system. A
// worker reports its walls before it gets a program.
type Isolation uint32

const (
	Process     Isolation = 1 << iota // Process: a process of its own, without environment, files or arguments, with a deadline; the process watches its own memory
	Resources                         // Resources: the kernel bounds address space and processor time, and refuses new files
	SystemCalls                       // SystemCalls: the kernel ends the process at any system call but those for memory, threads, time and the connection
	Files                             // Files: the kernel refuses files and networks by a second means
	Watched                           // Watched: the host watches memory and processor time
	Tied                              // Tied: the kernel ends the process with its host
	Namespaces                        // Namespaces: the process has users, networks, mounts and shared memory of its own, see PoolOptions

	allIsolation = 1<<iota - 1
)

// Strong is the set of walls that Linux has since 3.17, on amd64 and arm64.
const Strong = Process | Resources | SystemCalls | Watched | Tied

// Has reports whether i has all walls of min.
func (i Isolation) Has(min Isolation) bool { return i&min == min }

func (i Isolation) String() string {
	var on []string
	for bit, name := range [...]string{"process", "resources", "system calls", "files", "watched", "tied", "namespaces"} {
		if i>>bit&1 == 1 {
			on = append(on, name)
		}
	}
	if on == nil {
		return "none"
	}
	return strings.Join(on, ", ")
}
