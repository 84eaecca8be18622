package services

// This file opens services, and compares their offers with the pins.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/mcpclient"
	"github.com/exoagent/exoagent/exo/notify"
	"github.com/exoagent/exoagent/exo/outbox"
)

// Opened is a service that can be called.
type Opened struct {
	Object  exo.Object
	Missing []string // walls that this system can't put around the process
	Close   func()

	notice func(to string, n notify.Notice) ([]byte, error)
	bind   func(claim func(string) string) (exo.Object, error) // makes a principal's object, for a sink with an object that depends on the principal
}

// PinError is the error of a service with an offer that differs from the pin, or has no pin.
type PinError struct {
	Digest string // the digest that a person may pin after reading the offer
	Had    bool   // the file has another pin
}

func (e *PinError) Error() string {
	had := "no `pin` says which calls a person has read"
	if e.Had {
		had = "the service describes its calls otherwise than `pin` says, or the file lists other calls"
	}
	return fmt.Sprintf("%s: read what `exo services` prints, then write `pin: %s`", had, e.Digest)
}

// Open makes the object of a service. The function env looks up variables. A process that Open starts ends with ctx, or at Close. Messages to a sink wait in box.
func (s *Service) Open(ctx context.Context, env func(string) string, box *outbox.Outbox) (Opened, error) {
	if s.Sink() {
		return s.sink(ctx, env, box)
	}
	if len(s.Reads)+len(s.Acts)+len(s.Immediate) == 0 {
		return Opened{}, errors.New("want `reads`, `acts` or `immediate`, the calls that programs may make: `exo services` lists the calls that the service offers")
	}
	if s.Files.Text != "" {
		return s.openFiles(ctx, env)
	}
	if s.API.Text != "" {
		for _, x := range s.Secrets { // find a missing secret at the start, not in a program's call
			if _, err := x.text(ctx, env); err != nil {
				return Opened{}, err
			}
		}
		o, err := s.api()
		return Opened{Object: o, Close: func() {}}, err
	}
	c, err := s.connection(ctx, env)
	if err != nil {
		return Opened{}, err
	}
	o, err := mcpclient.Open(ctx, c.server)
	if err == nil {
		return Opened{Object: recorded{o}, Missing: o.Missing(), Close: func() {
			o.Close()
			c.close()
		}}, nil
	}
	defer c.close()
	if wrong, ok := errors.AsType[*mcpclient.PinError](err); ok {
		return Opened{}, &PinError{wrong.Digest, wrong.Pinned != ""}
	}
	return Opened{}, c.failed(err)
}

// interfaceName returns the service's name as the name of an interface. Its first letter is an ASCII letter: see check.
func (s *Service) interfaceName() string { return strings.ToUpper(s.Text[:1]) + s.Text[1:] }
