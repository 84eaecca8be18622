package otlp

// This file sends requests to a collector.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
)

// sender sends the requests of one signal.
type sender struct {
	url     string
	header  http.Header
	timeout time.Duration
}

// client follows no redirect, since the headers may contain secrets for only the host that the operator named.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// send sends a request. A request that fails is not sent again: metrics are cumulative, and spans must not pile up in a host whose collector is down.
func (s *sender) send(ctx context.Context, body any) error {
	ctx, stop := context.WithTimeout(ctx, s.timeout)
	defer stop()
	text, err := json.Marshal(body)
	if err != nil {
		return errors.New("otlp: the request can't be written as JSON, so nothing was exported: this is a fault of exo, please report it")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(text))
	if err != nil {
		return errors.New("otlp: the address of the collector is no URL: correct the variable OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	req.Header = s.header.Clone()
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("otlp: the collector can't be reached: %s", fail.Reason(err)) // without the address and the collector's answer
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // read the answer, so that the connection can be used again
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("otlp: the collector answered with the HTTP status %d: its log may have the reason", res.StatusCode)
	}
	return nil
}
