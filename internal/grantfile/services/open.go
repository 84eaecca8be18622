package services

// This file opens services, and compares what is there with the pins.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/mcpclient"
)

// Opened is a service that can be called.
type Opened struct {
	Object  exo.Object
	Missing []string // walls that its process lacks on this system
	Close   func()
}

// PinError is the error of a service that is not what is pinned.
type PinError struct {
	Digest string // what a person may pin after reading what there is
	Had    bool   // there is another pin
}

func (e *PinError) Error() string {
	had := "nobody has pinned what it offers"
	if e.Had {
		had = "it offers something else than what is pinned, or the file lists other calls"
	}
	return fmt.Sprintf("%s: read it (`exo services` shows it), then write `pin: %s`", had, e.Digest)
}

// Open makes the object of a service. env finds variables. A process that Open starts ends with ctx, or at Close.
func (s *Service) Open(ctx context.Context, env func(string) string) (Opened, error) {
	if len(s.Reads)+len(s.Acts)+len(s.Immediate) == 0 {
		return Opened{}, errors.New("want `reads`, `acts` or `immediate`: the calls that programs may make; `exo services` lists what there is")
	}
	if s.Files.Text != "" {
		return s.openFiles(ctx, env)
	}
	if s.API.Text != "" {
		for _, x := range s.Secrets { // a missing one is found at the start, and not by a program
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
		return Opened{recorded{o}, o.Missing(), func() {
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

// interfaceName is the service's name as that of an interface. Its first letter is one of ASCII, see check.
func (s *Service) interfaceName() string { return strings.ToUpper(s.Text[:1]) + s.Text[1:] }
