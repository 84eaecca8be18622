package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/mcp/bearer"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/printable"
)

// Identity is on whose behalf a client comes.
type Identity = bearer.Identity

// Config is for New.
type Config struct {
	Name, Version string // the server's name for clients; "": exoagent, dev
	// Tool is the tool of one identity, asked for each request of a client over HTTP, each
	// conversation over stdio, and each read of a kept result. An error means that there is none;
	// clients do not read it. It has to be the same tool for the same rights: make it once and keep it.
	Tool    func(context.Context, Identity) (*codemode.Tool, error)
	Results ResultLimits // the limits of what is kept of results that were too large for the model

	// Where a tool admits labels, each program of an identity begins with those of what its clients were shown by this
	// server: a model can write what it read into its next program. Labels is for how long that lasts after
	// the last result with a label, and at most a 24th of that more; zero or negative: 24 h.
	Labels time.Duration
	// LabelFile keeps them when the process ends, for all servers that share it. nil: they are in memory alone, so a restarted server begins without them, and one
	// identity must always be served by the same server.
	LabelFile *LabelFile
	// Believe forgets what outsiders wrote (see value.Untrusted) with the program that read it. Otherwise it counts for as long as a label:
	// whoever has read it may have been instructed by it, and no server sees when the user speaks again.
	Believe bool

	// OnHiddenError is called with each error that ended a program and has a reason that its client does not read: an internal error, a database
	// that the host has to look at (see exo.HasHiddenCause). The error may hold values of rows. It is called on the goroutine of the request. nil:
	// nothing is called.
	OnHiddenError func(who Identity, run exo.RunID, err error)
}

// Server serves tools to clients. Make it with New; the zero Server refuses.
type Server struct {
	cfg      Config
	results  results
	labels   labels
	progress time.Duration // between two notices of a run that goes on
	metrics  metrics
}

// maxLine is how many bytes one message of a client has at most.
const maxLine = 4 << 20

// ErrConfig means that a server or a handler can't be made of what its host gave. The error says what is missing or wrong.
var ErrConfig = errors.New("mcp: wrong configuration")

// ErrNoTool means that an identity has no tool: the error wraps that of Config.Tool, if there was one. It is all that a client learns.
var ErrNoTool = errors.New("mcp: there is no tool for this identity")

var errZero = fmt.Errorf("%w: this server was not made with New", ErrConfig)

// New makes a server.
func New(cfg Config) (*Server, error) {
	if cfg.Tool == nil {
		return nil, fmt.Errorf("%w: Config.Tool is missing: no identity would have a tool", ErrConfig)
	}
	if cfg.Name == "" {
		cfg.Name = "exoagent"
	}
	if cfg.Version == "" {
		cfg.Version = "dev"
	}
	if cfg.Labels <= 0 {
		cfg.Labels = 24 * time.Hour
	}
	return &Server{cfg: cfg, results: results{limits: cfg.Results.orDefault()}, labels: labels{keep: cfg.Labels, believe: cfg.Believe, file: cfg.LabelFile}, progress: 2 * time.Second}, nil
}

// tool is the tool of one identity.
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

// server is what one identity is served. Programs end with life.
func (s *Server) server(life context.Context, who Identity, t *codemode.Tool) *mcp.Server {
	m := mcp.NewServer(&mcp.Implementation{Name: s.cfg.Name, Version: s.cfg.Version}, &mcp.ServerOptions{
		// No list changes while it is served, and nothing is logged to clients.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { *c = mcp.Cacheable{CacheScope: "private"} },
	})
	title := strings.NewReplacer("_", " ", "-", " ").Replace(t.Name())
	title = strings.ToUpper(title[:1]) + title[1:]
	destructive := !t.ReadOnly()
	m.AddTool(&mcp.Tool{Name: t.Name(), Title: title, Description: printable.Text(t.Description()), InputSchema: t.InputSchema(),
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: t.ReadOnly(), DestructiveHint: &destructive}},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			// The SDK lets a call of the older revision go on when its connection is gone. Nobody could fetch what it
			// would come to.
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			defer context.AfterFunc(life, stop)()
			return s.call(ctx, who, t, req)
		})
	s.addResources(m, who, t)
	addPrompts(m, t)
	addPage(m)
	m.AddReceivingMiddleware(noCursors)
	return m
}

// noCursors refuses cursors of lists: every list is one page, and the SDK would decode a
// cursor, which a client can forge, with encoding/gob.
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
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no such page: lists are whole"}
		}
		return next(ctx, method, req)
	}
}
