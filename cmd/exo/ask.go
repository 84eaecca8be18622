package main

import (
	"context"
	"flag"
	"strings"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/internal/cli"
)

func askCommand() cli.Command {
	return cli.Command{
		Name:  "ask",
		Args:  "[FILE] QUESTION",
		Short: "ask a model a question about what a grant file grants",
		Long: `A model answers one question with programs on what a grant file (default: exo.yaml) grants to one principal. Its answer is
printed; at a terminal with the programs that it ran. -as gives the claims of the principal, as for exo run. The model is that of
the first key in the environment (GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY), or the one that -model names;
with OPENAI_BASE_URL, one of a server of your own. Where the file names models, it is one of those. What is granted is sent to it as declarations, and what its programs return.

examples:
  exo ask -as org=5 'Which tickets are open for longer than a week?'
  exo ask shop.yaml -as org=5,user=1 -model openai:gpt-5.4-mini 'What did we sell in May?'
`,
		Exits: "exit codes:\n  0  with an answer\n  1  the model did not answer, or the file is wrong\n  2  the command line is wrong, or there is no key for a model\n  3  the file can't be read\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &askOptions{}
			fs.StringVar(&o.as, "as", "", "`CLAIMS`: the principal, like org=5,user=1")
			fs.StringVar(&o.model, "model", "", "`P:NAME`: which model; without it the first key in the environment decides")
			fs.StringVar(&o.distrust, "distrust", "", distrustUsage)
			fs.BoolVar(&o.trace, "trace", false, "the record of each run on standard error, as lines of JSON: messages, their SQL, effects")
			return o.run
		},
		Values: map[string][]string{"": {cli.AnyFile}},
	}
}

type askOptions struct {
	as, model, distrust string
	trace               bool
}

// distrustOf parses the distrust of a grant file. The reader of the file has already checked the text.
func distrustOf(text string) (d agent.Distrust) {
	_ = d.UnmarshalText([]byte(text)) // an empty text gives the default
	return d
}

// checkDistrust returns an error for a text that -distrust doesn't take.
func checkDistrust(text string) error {
	if text == "" {
		return nil
	}
	if err := new(agent.Distrust).UnmarshalText([]byte(text)); err != nil {
		return cli.Usagef("-distrust: %s", err)
	}
	return nil
}

const distrustUsage = "`answer|chat|nothing`: how long programs of a model that read what outsiders wrote are wary of it (default: what the file says, or answer)"

// run does the work of exo repl FILE -ask, since only the terminal can ask a model and decide what to show of its answer.
func (o *askOptions) run(_ context.Context, std cli.Stdio, args []string) error {
	path := defaultFile
	switch {
	case len(args) == 1 && isGrantFile(args[0]):
		return cli.Usagef("the question is missing: write it in quotes, exo ask %s 'QUESTION'", args[0])
	case len(args) == 2:
		path = args[0]
	case len(args) != 1:
		return cli.Usagef("want a grant file and a question, not %d arguments: put the question in quotes, exo ask FILE 'QUESTION'", len(args))
	}
	question := args[len(args)-1]
	if strings.TrimSpace(question) == "" {
		return cli.Usagef("the question is empty: write it in quotes, exo ask FILE 'QUESTION'")
	}
	flags := []string{"-user=" + o.as, "-ask=" + question}
	if o.model != "" {
		flags = append(flags, "-model="+o.model)
	}
	if o.distrust != "" {
		flags = append(flags, "-distrust="+o.distrust)
	}
	if o.trace {
		flags = append(flags, "-trace")
	}
	return replOnFile("ask", path, "", flags, std)
}
