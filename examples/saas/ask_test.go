package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAsk is a model that answers with the rows of one organization, over the wire
// format of OpenAI: from the command line to the answer.
func TestAsk(t *testing.T) {
	var sent []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = append(sent, string(body))
		delta, finish := `{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"execute","arguments":"{\"code\":\"return await api.organization.first()\"}"}}]}`, "tool_calls"
		if len(sent) > 1 {
			delta, finish = `{"content":"It is yours."}`, "stop"
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", delta, finish)
	}))
	defer s.Close()
	t.Setenv("OPENAI_BASE_URL", s.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", "sk-hunter2")
	t.Setenv("GOOGLE_GENERATIVE_AI_API_KEY", "")
	var out, errs bytes.Buffer
	code := app.Run([]string{"-org", "2", "-model", "openai:test", "-ask", "Which organization is it?"}, strings.NewReader(""), &out, &errs)
	if code != 0 || !strings.HasPrefix(out.String(), "It is yours.\n") || strings.Contains(out.String()+errs.String(), "hunter2") {
		t.Fatalf("exit %d: %s%s", code, &out, &errs)
	}
	if len(sent) != 2 || !strings.Contains(sent[0], "Which organization is it?") || !strings.Contains(sent[0], "organization") || !strings.Contains(sent[1], `\"result\":{\"id\":2,`) {
		t.Errorf("the model was sent %s", sent)
	}
	out.Reset()
	errs.Reset()
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("ANTHROPIC_API_KEY", "")
	if code := app.Run([]string{"-ask", "x"}, strings.NewReader(""), &out, &errs); code != 2 || !strings.Contains(errs.String(), "no key for a model is set") {
		t.Errorf("exit %d: %s%s", code, &out, &errs)
	}
}
