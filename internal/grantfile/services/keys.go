package services

// This file has the keys of a service and of a secret. See keys.go of package grantfile.

import (
	"github.com/exoagent/exoagent/exo/notify"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

var key = strict.NewKey

// Form makes the schema of a file's services.
func Form() strict.Node { return strict.Named(strict.FormOf(new(Service).keys, &strict.Reader{}))() }

func (s *Service) keys(r *strict.Reader) []strict.Key {
	called := strict.Either(strict.SomeTexts, strict.Named(strict.AText).With(strict.Node{"type": "object"}))
	return []strict.Key{
		key("doc", r.TextTo(&s.Doc), "a line for the model"),
		key("mcp", r.NameTo(&s.MCP), "the address of an MCP server"),
		key("command", strict.By(strict.ListOf(strict.AText), func(e strict.Entry) { s.Command = words(r, e) }), "an absolute path and arguments: a program that is an MCP server on its standard input and output"),
		key("api", r.NameTo(&s.API), "the address of an HTTP API"),
		key("mail", strict.By(strict.Pattern("^smtps?://."), func(e strict.Entry) { s.Mail = r.Name(e.Value, e.Name) }), "the address of a server of mails: smtps://HOST, or smtp://HOST with STARTTLS"),
		key("chat", strict.By(strict.Words(notify.Products), func(e strict.Entry) { s.Chat = r.Name(e.Value, e.Name) }), "a chat, by the incoming webhook whose address is the secret url"),
		key("webhook", r.NameTo(&s.Webhook), "an address that takes events, which the secret signature signs as Standard Webhooks says"),
		key("from", r.TextTo(&s.From), "the address from which mails are"),
		key("to", strict.By(strict.Named(strict.AText), func(e strict.Entry) { s.To = recipients(r, e) }), "names that programs may give as receivers, each with an address or $principal.CLAIM"),
		key("openapi", r.TextTo(&s.OpenAPI), "the file of the API's OpenAPI document"),
		key("files", r.NameTo(&s.Files), "a folder, whose files programs may read and write by the globs of read and write"),
		key("journal", r.StoreTo(&s.Journal), "where writes of files are kept that a stopped process could not finish: a folder, or env:NAME with the URL of a PostgreSQL database"),
		key("undo", r.DaysTo(&s.Undo), "how long the text before a write of a file is kept, in days like 7d"),
		key("trusted", r.BoolTo(&s.Trusted), "no outsider writes the files, so what programs read of them is trusted"),
		key("secrets", strict.By(strict.Named(strict.Short(new(Secret).keys, r)), func(e strict.Entry) { s.Secrets = secrets(r, e.Value) }), "headers of requests, or variables of the command, whose text is elsewhere"),
		key("networks", strict.By(strict.SomeTexts, func(e strict.Entry) { s.Networks = networks(r, e) }), "private networks in which the address is, like 10.1.0.0/16; otherwise the public internet"),
		key("env", strict.By(strict.Named(strict.AText), func(e strict.Entry) { s.Env = variables(r, e.Value) }), "variables of the command"),
		key("dir", r.TextTo(&s.Dir), "the folder in which the command runs").Shows("runs in %s"),
		key("read", r.TextsTo(&s.Read), "files and folders that the command may read, its libraries too; of files: globs like *.csv and in/**"),
		key("write", r.TextsTo(&s.Write), "files and folders that the command may change; of files: globs of those that programs may write"),
		key("network", r.BoolTo(&s.Network), "the command may use the network").Shows("may use the network"),
		key("memory", r.SizeTo(&s.Memory), "the most memory of a process of the command").Shows("has %d bytes of memory for each process"),
		key("reads", strict.By(called, func(e strict.Entry) { s.Reads = calls(r, e) }), "calls that change nothing: an API's by operationId or like {tasks: GET /tasks}"),
		key("acts", strict.By(called, func(e strict.Entry) { s.Acts = calls(r, e) }), "calls that change something: they are sent once the program has ended well"),
		key("immediate", strict.By(called, func(e strict.Entry) { s.Immediate = calls(r, e) }), "calls that change something and whose answer the program needs: they are sent at once, and for good"),
		key("approve", r.NamesTo(&s.Approve), "those of acts that wait until a person has agreed"),
		key("label", r.NamesTo(&s.Label), "tags of all answers, which are untrusted as well"),
		key("admits", r.NamesTo(&s.Admits), "tags that may leave to the service"),
		key("pin", r.NameTo(&s.Pin), "the digest of what the service offers when a person read it: exo services prints both"),
		key("answer", r.SizeTo(&s.Answer), "the most that an answer may have"),
		key("time", r.TimeTo(&s.Time), "the most that a call may take"),
	}
}

func (s *Secret) keys(r *strict.Reader) []strict.Key {
	return []strict.Key{
		key("from", r.SecretTo(&s.From), "env:NAME or file:PATH"),
		key("command", strict.By(strict.ListOf(strict.AText), func(e strict.Entry) { s.Command = words(r, e) }), "an absolute path and arguments: a program that prints it"),
		key("prefix", r.TextTo(&s.Prefix), "before it, like \"Bearer \""),
		key("oauth", r.NameTo(&s.OAuth), "the address of a token endpoint: what is sent are the access tokens that it issues"),
		key("client", r.TextTo(&s.Client), "the ID of the OAuth client, whose secret is in from or command"),
		key("scopes", r.TextsTo(&s.Scopes), "the scopes of the tokens"),
		key("networks", strict.By(strict.SomeTexts, func(e strict.Entry) { s.Networks = networks(r, e) }), "private networks in which the token endpoint is; otherwise the public internet"),
	}
}
