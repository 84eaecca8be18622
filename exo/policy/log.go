package policy

import (
	"context"
	"errors"
	"log/slog"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Log writes a line for each message to o, and to the objects that o returns, after it was
// answered: at Info, and at Warn if it failed. The line shows the operation, without arguments and
// replies. Messages that the gate refused are not logged. The log does not replace a record,
// exo.Config.Record.
func Log(o exo.Object, l *slog.Logger) exo.Object {
	return exo.Wrap(o, exo.Policy{Narrow: func(*message.Description) error {
		if l == nil {
			return errors.New("policy: Log got a nil *slog.Logger: pass one, like slog.Default()")
		}
		return nil
	}, After: func(m *exo.Message, v value.Value, err error) {
		run, level := m.Run(), slog.LevelInfo
		attrs := []slog.Attr{slog.String("run", run.ID.String()), slog.String("principal", string(run.Principal)),
			slog.String("op", m.Op()), slog.String("effect", m.Root.Method().Effect.String()), slog.Int("rows", v.Count())}
		if err != nil {
			level, attrs = slog.LevelWarn, append(attrs, slog.String("error", fail.KindOf(err).String()))
		}
		l.LogAttrs(context.Background(), level, "message", attrs...)
	}})
}
