package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/mcp/bearer"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/internal/printable"
)

// Identity is the party for whom a client acts.
type Identity = bearer.Identity

// Config configures a server for New.
type Config struct {
	Name, Version string // the server's name for clients; "": exoagent, dev
	// Tool returns the tool of one identity. It is called for each request of a client over HTTP, each
	// conversation over stdio, and each read of a kept result. An error means that the identity has no tool;
	// clients do not see the error. For the same rights it must return the same tool: make it once and keep it.
	Tool    func(context.Context, Identity) (*codemode.Tool, error)
	Results ResultLimits // the limits on kept results that were too large for the model

	// If a tool admits labels, each program of an identity begins with the labels of all results that the server
	// has shown to its clients. Otherwise a model could write what it read into its next program, without a label.
	// Labels is how long they last after the last labelled result (up to 1/24 longer); zero or negative: 24 h.
	Labels time.Duration
	// LabelStore keeps these labels across restarts, and shares them among servers (see store.LocalOptions.Shared and exo/store/postgres). If
	// LabelStore is nil, the labels are only in memory: a restarted server begins without them, and one identity must always be served by the same
	// server. The host closes the store.
	LabelStore store.Store
	// Believe makes outsiders' words (value.Untrusted) count only in the program that reads them. Otherwise such words count as long as other labels:
	// they may contain instructions to the model, and the server does not see when the user speaks again.
	Believe bool

	// OnHiddenError is called with each error that ended a program and has a reason that the client does not see: an internal error, or a database
	// that the host must look at (see codemode.HasHiddenCause). The error may contain values of rows; fail.Reason describes it without them. It is
	// called on the goroutine of the request. If OnHiddenError is nil, the reason is logged by the default logger of log/slog.
	OnHiddenError func(who Identity, run exo.RunID, err error)
}

// Server serves tools to clients. Make it with New; the zero Server refuses every request.
type Server struct {
	cfg      Config
	results  results
	labels   labels
	progress time.Duration // how often a client is notified about a running program
	metrics  metrics
}

// maxLine is how many bytes one message of a client may have.
const maxLine = 4 << 20

// ErrConfig means that the configuration of a server or a handler is wrong. The error describes what is missing or wrong.
var ErrConfig = errors.New("mcp: wrong configuration")

// ErrNoTool means that an identity has no tool. The error wraps the error of Config.Tool, if there was one. A client reads only that there is no
// tool.
var ErrNoTool = errors.New("mcp: there is no tool for this identity")

var errZero = fmt.Errorf("%w: the Server was not made with mcp.New: make it with that function", ErrConfig)

// New makes a server from its configuration.
func New(cfg Config) (*Server, error) {
	if cfg.Tool == nil {
		return nil, fmt.Errorf("%w: Config.Tool is missing: set a function that returns the tool of an identity", ErrConfig)
	}
	cfg.Name, cfg.Version = cmp.Or(cfg.Name, "exoagent"), cmp.Or(cfg.Version, "dev")
	if cfg.Labels <= 0 {
		cfg.Labels = 24 * time.Hour
	}
	if cfg.OnHiddenError == nil {
		cfg.OnHiddenError = func(_ Identity, run exo.RunID, err error) {
			slog.Error("a program failed with an error that is hidden from its client", "run", run, "reason", fail.Reason(err))
		}
	}
	if cfg.LabelStore == nil {
		cfg.LabelStore = store.NewMemory(nil)
	}
	return &Server{cfg: cfg, results: results{limits: cfg.Results.orDefault()}, labels: labels{keep: cfg.Labels, believe: cfg.Believe, kept: cfg.LabelStore, now: time.Now}, progress: 2 * time.Second}, nil
}

// tool returns the tool of one identity.
func (s *Server) tool(ctx context.Context, who Identity) (*codemode.Tool, error) {
	if s == nil || s.cfg.Tool == nil {
		return nil, errZero
	}
	if who.Zero() {
		return nil, ErrNoTool
	}
	t, err := s.cfg.Tool(ctx, who)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoTool, err)
	}
	if t == nil || t.Name() == "" {
		return nil, ErrNoTool
	}
	return t, nil
}

// server returns a server for one identity. Its programs are stopped when life ends. If conversation is "", budgets per conversation treat all
// programs of the principal as one conversation.
func (s *Server) server(life context.Context, who Identity, t *codemode.Tool, conversation string) *mcp.Server {
	m := mcp.NewServer(&mcp.Implementation{Name: s.cfg.Name, Version: s.cfg.Version}, &mcp.ServerOptions{
		// Clients get no notifications of changed lists, since no list changes, and no log messages.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { *c = mcp.Cacheable{CacheScope: "private"} },
	})
	title := strings.NewReplacer("_", " ", "-", " ").Replace(t.Name())
	title = strings.ToUpper(title[:1]) + title[1:]
	destructive := !t.ReadOnly()
	m.AddTool(&mcp.Tool{Name: t.Name(), Title: title, Description: printable.Text(t.Description()), InputSchema: t.InputSchema(),
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: t.ReadOnly(), DestructiveHint: &destructive}},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			// In the older revision, the SDK lets a call go on when its connection is gone. The
			// call is stopped here, since its result can't be fetched.
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			defer context.AfterFunc(life, stop)()
			return s.call(ctx, who, t, conversation, req)
		})
	s.addResources(m, who, t)
	addPrompts(m, t)
	addPage(m)
	m.AddReceivingMiddleware(noCursors)
	return m
}

// noCursors refuses cursors of lists, since every list is one page. A client can forge a cursor,
// and the SDK would decode it with encoding/gob.
func noCursors(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		cursor := ""
		switch p := req.GetParams().(type) {
		case *mcp.ListToolsParams:
			if p != nil {
				cursor = p.Cursor
			}
		case *mcp.ListPromptsParams:
			if p != nil {
				cursor = p.Cursor
			}
		case *mcp.ListResourcesParams:
			if p != nil {
				cursor = p.Cursor
			}
		case *mcp.ListResourceTemplatesParams:
			if p != nil {
				cursor = p.Cursor
			}
		}
		if cursor != "" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no such page: each list has one page, so send no cursor"}
		}
		return next(ctx, method, req)
	}
}
