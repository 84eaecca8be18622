package record

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Version is the newest version of a line. It changes when a line gets a part that a reader must understand. A line has the lowest version that its parts
// need. It is 3 for a line with a reply, or with module, encoding, admits, preview, judged or grants in its start; 2 for a line with constants or cut;
// otherwise 1.
const Version = 3

// version returns the version of an entry's line.
func version(e *exo.Entry) int {
	if s := e.Start; e.Kept != nil || s != nil && (s.Module != "" || s.Encoding != 0 || s.Preview || !s.Admits.Empty() || len(s.Judged) > 0 || s.Grants != nil) {
		return 3
	}
	if len(e.Constants) > 0 || e.Omitted != nil {
		return 2
	}
	return 1
}

// appendLine writes one entry, and a newline. The runs in of bound its details. appendLine fails for an entry that can't be read back. No program
// can cause such an entry, or it could stop the record.
func appendLine(b []byte, e *exo.Entry, of *runs) ([]byte, error) {
	of.last = 0
	of.retain(e)
	if err := spellable(e); err != nil {
		return b, err
	}
	b = strconv.AppendInt(append(b, `{"v":`...), int64(version(e)), 10)
	b = append(b, `,"run":"`...)
	b = hex.AppendEncode(b, e.RunID[:])
	b = append(append(b, `","step":"`...), e.Step.String()...)
	b = append(b, `","at":"`...)
	b = append(e.At.UTC().AppendFormat(b, time.RFC3339Nano), '"')
	if e.Call != 0 {
		b = strconv.AppendUint(append(b, `,"call":`...), e.Call, 10)
	}
	if e.Op != "" {
		b = appendText(append(b, `,"op":`...), e.Op)
	}
	b = appendPlace(b, e.Pos)
	if e.Effect != message.NoEffect {
		b = appendText(append(b, `,"effect":`...), key(e.Effect))
	}
	if e.Message != nil {
		b = append(b, `,"message":"`...)
		b = append(base64.StdEncoding.AppendEncode(b, e.Message), '"')
	}
	if len(e.Constants) > 0 {
		b = appendConstants(append(b, `,"constants":`...), e.Constants)
	}
	if c := e.Omitted; c != nil {
		b = append(hex.AppendEncode(append(b, `,"cut":{"digest":"`...), c.Digest[:]), `","bytes":`...)
		b = append(strconv.AppendInt(b, int64(c.Bytes), 10), '}')
	}
	if !e.Label.Empty() {
		b = appendTexts(append(b, `,"label":`...), e.Label.Tags())
	}
	if e.State != exo.NoState {
		b = appendText(append(b, `,"state":`...), key(e.State))
	}
	if e.Rows != 0 {
		b = strconv.AppendInt(append(b, `,"rows":`...), int64(e.Rows), 10)
	}
	if e.Took != 0 {
		b = append(append(append(b, `,"took":"`...), e.Took.String()...), '"')
	}
	if e.Digest != (value.Digest{}) {
		b = append(hex.AppendEncode(append(b, `,"digest":"`...), e.Digest[:]), '"')
	}
	if e.Err != nil {
		b = appendError(append(b, `,"err":`...), e.Err)
	}
	if len(e.Details) > 0 {
		from := len(b)
		room, most, whose := of.room(e)
		b = appendDetails(append(b, `,"details":`...), e.Details, room, most, whose)
		of.last = len(b) - from
	}
	if e.Kept != nil {
		b = appendKept(append(b, `,"reply":`...), e.Kept)
	}
	if p := e.Prepared; p != nil {
		if err := check(e.Step, p.Changed, p.Witnessed); err != nil {
			return b, fmt.Errorf("record: %w", err)
		}
		b = strconv.AppendInt(append(b, `,"prepared":{"changed":`...), int64(p.Changed), 10)
		b = append(strconv.AppendInt(append(b, `,"witnessed":`...), int64(p.Witnessed), 10), '}')
	}
	if e.Start != nil {
		var err error
		if b, err = appendStart(append(b, `,"start":`...), e.Start); err != nil {
			return b, err
		}
	}
	return append(b, '}', '\n'), nil
}

// These are the last values of each enumeration in a line, for the function named.
const (
	lastStep   = exo.Ended
	lastEffect = message.Immediate
	lastState  = exo.StateUnknown
)

// key returns the name of an enumeration's value in a line, such as "rolledback".
func key(of fmt.Stringer) string { return strings.ReplaceAll(of.String(), " ", "") }

// spellable refuses an entry with a step, effect, state or time that can't be written in a line.
func spellable(e *exo.Entry) error {
	if e.Step == 0 || e.Step > lastStep || e.Effect > lastEffect || e.State > lastState {
		return fmt.Errorf("record: an entry has an unknown step, effect or state: %v, %v, %v", e.Step, e.Effect, e.State)
	}
	if err := checkTime(e.At); err != nil || e.Start == nil {
		return err
	}
	return checkTime(e.Start.Clock)
}

func checkTime(t time.Time) error {
	if year := t.UTC().Year(); year < 0 || year > 9999 {
		return fmt.Errorf("record: an entry has a time in the year %d: want 0 to 9999", year)
	}
	return nil
}

// check refuses numbers of stores that no run can have. A reader that accepted them could settle a run wrongly.
func check(step exo.Step, changed, witnessed int) error {
	if step != exo.Committing {
		return fmt.Errorf("an entry of step %v has the member prepared: only a committing entry may have it", step)
	} else if witnessed < 0 || changed < witnessed {
		return fmt.Errorf("prepared has changed %d and witnessed %d: want 0 or more, and no more witnessed than changed", changed, witnessed)
	}
	return nil
}

func appendConstants(b []byte, cs []exo.Constant) []byte {
	b = append(b, '[')
	for i := range cs {
		c := &cs[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"node":`...), int64(c.Node), 10)
		b = append(hex.AppendEncode(append(b, `,"digest":"`...), c.Digest[:]), `","bytes":`...)
		b = strconv.AppendInt(b, int64(c.Bytes), 10)
		if c.Value != nil {
			b = append(base64.StdEncoding.AppendEncode(append(b, `,"value":"`...), c.Value), '"')
		}
		if c.Call != 0 {
			b = strconv.AppendUint(append(b, `,"call":`...), c.Call, 10)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

func appendTexts(b []byte, ss []string) []byte {
	b = append(b, '[')
	for i, s := range ss {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, s)
	}
	return append(b, ']')
}

func appendStart(b []byte, s *exo.Start) ([]byte, error) {
	b = appendText(append(b, `{"principal":`...), string(s.Principal))
	b = appendText(append(b, `,"program":`...), s.Program)
	if !s.Label.Empty() {
		b = appendTexts(append(b, `,"label":`...), s.Label.Tags())
	}
	b = append(s.Clock.UTC().AppendFormat(append(b, `,"clock":"`...), time.RFC3339Nano), '"')
	b = append(strconv.AppendUint(append(b, `,"seed":"`...), s.Seed, 10), '"') // written as text, since a JavaScript number would lose digits
	if s.Zone != "" {
		b = appendText(append(b, `,"zone":`...), s.Zone)
	}
	limits, err := json.Marshal(s.Limits)
	if err != nil {
		return b, err
	}
	b = append(append(b, `,"limits":`...), limits...)
	if len(s.Bounds) > 0 {
		bounds, err := json.Marshal(s.Bounds)
		if err != nil {
			return b, err
		}
		b = append(append(b[:len(b)-1], ','), bounds[1:]...)
	}
	b = append(hex.AppendEncode(append(b, `,"granted":"`...), s.Granted[:]), '"')
	if !s.Admits.Empty() {
		b = appendTexts(append(b, `,"admits":`...), s.Admits.Tags())
	}
	if s.Preview {
		b = append(b, `,"preview":true`...)
	}
	if len(s.Judged) > 0 {
		b = appendTexts(append(b, `,"judged":`...), s.Judged)
	}
	if s.Module != "" {
		b = appendText(append(b, `,"module":`...), s.Module)
	}
	if s.Encoding != 0 {
		b = strconv.AppendInt(append(b, `,"encoding":`...), int64(s.Encoding), 10)
	}
	if s.Grants != nil {
		b = append(base64.StdEncoding.AppendEncode(append(b, `,"grants":"`...), s.Grants()), '"')
	}
	return append(b, '}'), nil
}
