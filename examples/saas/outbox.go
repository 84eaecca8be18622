package main

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"sync"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// outbox is the file to which this example writes its chat posts and mails, each as one line of JSON.
var outbox = &letters{path: "outbox.jsonl"}

type letters struct {
	path string
	mu   sync.Mutex
}

func (l *letters) put(line any) error {
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(append(b, '\n')); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

type post struct {
	Text string `json:"text"`
}

type mail struct {
	To      int64  `json:"to" jsonschema:"the id of a member"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// recipient is the part of a mail that decides which personal data the mail may contain.
type recipient struct {
	To int64 `json:"to"`
}

// ways returns the services through which data can leave. Everybody reads the chat, so it admits no label: no e-mail address, and
// no text that a comment may have asked for. A mail may contain personal data of its recipient only. A program names only a
// member, and the service finds the address, so a program can't choose one.
func ways(db *exosql.DB, org int64) (codemode.Grants, error) {
	chat, err := service.New("chat", "the chat of the whole organization", service.Method("post", "posts a text", func(_ context.Context, p post) (service.None, error) {
		return service.None{}, outbox.put(map[string]any{"chat": org, "text": p.Text})
	}))
	if err != nil {
		return nil, err
	}
	send := service.Method("send", "mails a member", func(ctx context.Context, m mail) (service.None, error) {
		to, err := exosql.Grant(db, members, memberOrgID.Eq(org)).Where(memberID.Eq(m.To)).All(ctx)
		if err != nil {
			return service.None{}, err
		}
		if len(to) == 0 {
			return service.None{}, service.Refuse("there is no member %d: choose an id of api.organization.members()", m.To)
		}
		return service.None{}, outbox.put(map[string]any{"mail": to[0].Email, "subject": m.Subject, "text": m.Text})
	})
	send = service.AdmitsFor(send.Admits(value.NewLabel("pii@member")), func(m recipient) value.Label {
		tag, err := value.ReaderTag("pii", "member", strconv.FormatInt(m.To, 10))
		if err != nil {
			return value.Label{} // the zero label: an unknown recipient may get no labelled values
		}
		return value.NewLabel(tag)
	})
	mails, err := service.New("mail", "", send)
	if err != nil {
		return nil, err
	}
	return codemode.Grants{"chat": chat, "mail": mails}, nil
}

// grants returns the objects that a program gets: the data, and the services through which data can leave.
func grants(db *exosql.DB, org, as int64) (codemode.Grants, error) {
	g, err := ways(db, org)
	if err != nil {
		return nil, err
	}
	for name, o := range grant(db, org, as, tooMany) {
		g[name] = o
	}
	return g, nil
}
