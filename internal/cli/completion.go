package cli

import (
	"context"
	"flag"
	"io"
)

func Completion() Command {
	return Command{
		Name:  "completion",
		Args:  "bash|zsh|fish",
		Short: "print a script that makes a shell complete exo's words",
		Long: `bash, in ~/.bashrc:     source <(exo completion bash)
zsh, in ~/.zshrc:       source <(exo completion zsh)     (after compinit)
fish:                   exo completion fish > ~/.config/fish/completions/exo.fish
`,
		Flags:  func(*flag.FlagSet) Action { return runCompletion },
		Values: map[string][]string{"": {"bash", "fish", "zsh"}},
	}
}

func runCompletion(_ context.Context, std Stdio, args []string) error {
	if len(args) != 1 {
		return Usagef("want the name of one shell: bash, zsh or fish")
	}
	script, ok := completionScripts[args[0]]
	if !ok {
		return Usagef("exo has no script for %q; want bash, zsh or fish", args[0])
	}
	_, err := io.WriteString(std.Out, script)
	return err
}

// completionScripts have the script for each shell. A script only calls exo: see complete.go.
var completionScripts = map[string]string{
	"bash": `# bash completion for exo
_exo() {
	local line cur=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		:files) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur") ;;
		:dirs) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$cur") ;;
		*) COMPREPLY+=("${line%%$'\t'*}") ;;
		esac
	done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _exo exo
`,
	"zsh": `#compdef exo
_exo() {
	local line
	local -a found
	while IFS= read -r line; do
		case $line in
		:files) _files ;;
		:dirs) _files -/ ;;
		*) found+=("${${line//:/\\:}/$'\t'/:}") ;;
		esac
	done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
	(( $#found )) && _describe exo found
}
compdef _exo exo
`,
	"fish": `# fish completion for exo
function __exo_complete
	set -l words (commandline -opc) (commandline -ct)
	for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
		switch $line
			case :files
				__fish_complete_path (commandline -ct)
			case :dirs
				__fish_complete_directories (commandline -ct)
			case '*'
				echo $line
		end
	end
end
complete -c exo -f -a '(__exo_complete)'
`,
}
