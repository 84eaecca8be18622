package repl

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strings"

	"github.com/exoagent/exoagent/codemode/agent/models"
)

// withGemini runs the command of the process again, built with the adapter for Gemini, where a model of Gemini
// will be asked and the adapter is not linked. Its library takes as long to build as everything else together,
// so nobody builds it who has no key for it. It needs the sources: the process must have been started
// in the command's own module, as by go run. Elsewhere it does nothing, and asking fails with [models.ErrNoGemini].
func (a App) withGemini(args []string) (code int, ran bool) {
	a.Who = cmp.Or(a.Who, "user")
	opt, err := a.parse(args)
	if err != nil || opt.program != nil || opt.file != nil || opt.api || a.asker != nil {
		return 0, false
	}
	if _, err := newAsker(askerOptions{Model: opt.model, Among: a.Models}, os.Getenv); !errors.Is(err, models.ErrNoGemini) {
		return 0, false
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return 0, false
	}
	here, err := exec.Command("go", "list", "-f", "{{.Name}} {{.Module.Main}}", "--", info.Path).Output()
	if err != nil || strings.TrimSpace(string(here)) != "main true" {
		return 0, false
	}
	fmt.Fprintln(os.Stderr, "A model of Gemini is chosen: building its adapter, which takes a while the first time.")
	again := exec.Command("go", append([]string{"run", "-tags", "gemini", info.Path}, args...)...)
	again.Stdin, again.Stdout, again.Stderr = os.Stdin, os.Stdout, os.Stderr
	interrupts := make(chan os.Signal, 1) // they are meant for the command that runs, which gets them, too
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	var failed *exec.ExitError
	if err := again.Run(); errors.As(err, &failed) {
		return failed.ExitCode(), true
	} else if err != nil {
		return exitUsage, true
	}
	return exitOK, true
}
