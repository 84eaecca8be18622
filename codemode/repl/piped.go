package repl

import (
	"context"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
)

// piped runs a session with input from a file or another program. It prints each result as one line
// of JSON, and nothing else.
func (s *session) piped(ctx context.Context, std *screen.Streams) int {
	in := newLines(std.In)
	defer in.close()
	defer s.leave(ctx, std.Err)
	s.decides = true
	code := exitOK
	for {
		line, ok := in.next()
		if !ok {
			return s.end(in, code, std)
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		cmd, arg, isCommand := command(line)
		switch {
		case !isCommand:
			code = max(code, s.once(ctx, in.program(line, std), std))
			if s.interrupted {
				return code
			}
		case cmd == ".quit" || cmd == ".exit":
			return code
		case cmd == ".ask":
			code = max(code, s.askLine(ctx, arg, std))
			if s.interrupted {
				return code
			}
		default:
			said := std.Out
			if cmd == ".begin" || cmd == ".commit" || cmd == ".rollback" {
				said = std.Err
			}
			if err := s.command(ctx, cmd, arg, said); err != nil {
				std.Complain(s.app.Name, err)
				code = exitUsage
			}
		}
	}
}

// end returns the exit code of a session after its input has ended.
func (s *session) end(in *lines, code int, std *screen.Streams) int {
	if in.err != nil {
		std.Complain(s.app.Name, fmt.Errorf("can't read the input: %w", in.err))
		return exitUsage
	}
	return code
}

// goesOn reports whether a line can only continue the program.
func goesOn(line string) bool {
	if strings.TrimSpace(line) == "" {
		return false
	}
	if _, _, ok := command(line); ok {
		return false
	}
	return strings.ContainsAny(line[:1], " \t.?)]}")
}
