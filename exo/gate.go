package exo

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/zone"
)

// Principal names on whose behalf a run happens. It grants nothing. It is recorded, tickets of
// policy.Approve are for one principal, and a worker pool is fair among principals: set it
// wherever more than one user is served.
type Principal string

// Config is what a gate is made of. The zero Config grants nothing and admits public values only.
type Config struct {
	Grants map[string]Object // the names that a program finds, and what they refer to
	Limits Limits
	Admits value.Label      // labels that the result of a run may carry
	Now    func() time.Time // for records, and the clock of runs that were given none; nil: time.Now
	Zone   string           // the IANA name of the time zone in which programs have local time and today; "": UTC

	// Record keeps what happens. Where something that is granted can change something it has
	// to be given: Unrecorded keeps nothing. nil, elsewhere: the same.
	Record Recorder
	// Bits bounds what declassifiers reveal, and has to be given where one is granted: see Method.Declassifies.
	Bits BitBudget
	// SeveralStores lets a run change several databases, each with a commit of its own: if one
	// fails after another, it is not known what was kept.
	SeveralStores bool

	// Console is called with each line that a program logs, while it runs, but never with one
	// that Admits does not let out; nil: nobody listens. It gets the lines of a run (Line.RunID) in order
	// and one at a time, on the goroutine that follows the run, and those of several runs at
	// once. The program waits meanwhile, so it must not block, nor call into a run. If it
	// panics, that run ends, undoes what it can, and panics with the same.
	Console func(Line)
}

// Gate holds what a program may touch and is the only way to touch it: every
// message of every run goes through (*Session).Submit. A Gate is immutable and may be
// used by many runs at once.
type Gate struct {
	*declared
	objects []Object                    // by ID
	own     map[*message.Interface]bool // as the objects described themselves: the catalogue has copies
	limits  Limits
	admits  value.Label
	record  Recorder // nil: nothing is recorded
	bits    BitBudget
	now     func() time.Time
	zone    *zone.Zone
	console func(Line)
	kept    value.Label // all labels of the catalogue that admits does not admit

	severalStores bool

	stores map[any][]Object // that a grant can change, and the objects of each, without their policies
}

// NewGate checks the grants and freezes them. It fails when an object can't be
// used, when a name can't be one, or when two objects disagree on what an
// interface is.
func NewGate(cfg Config) (*Gate, error) {
	g := &Gate{limits: cfg.Limits.OrDefault(), admits: cfg.Admits, bits: cfg.Bits, now: cfg.Now, console: cfg.Console}
	if cfg.Record != Unrecorded {
		g.record = cfg.Record
	}
	var err error
	if g.zone, err = zone.Load(cfg.Zone); err != nil {
		return nil, fail.Errorf(fail.Invalid, "exo: NewGate", "%v", err)
	}
	g.severalStores = cfg.SeveralStores
	if g.now == nil {
		g.now = time.Now
	}
	names := slices.Sorted(maps.Keys(cfg.Grants))
	described := make([]message.Description, len(names))
	for i, name := range names {
		o := cfg.Grants[name]
		if scalar.ReservedName(name) || name == "api" {
			return nil, fmt.Errorf("exo: %q can't be the name of a grant", name)
		}
		if o == nil {
			return nil, fmt.Errorf("exo: grant %s is nil", name)
		}
		d, err := o.Describe()
		if err != nil {
			return nil, fmt.Errorf("exo: grant %s: %w", name, err)
		}
		g.objects, described[i] = append(g.objects, o), d
		if !d.Frozen {
			for _, x := range d.Interfaces {
				if g.own == nil {
					g.own = map[*message.Interface]bool{}
				}
				g.own[x] = true
			}
		}
	}
	if g.declared, err = declaredOf(names, described); err != nil {
		return nil, err
	}
	for i, o := range g.objects { // of the objects, which the declarations do not know
		o = unwrapped(o)
		if err := checkStore(o, g.stored[g.granted[i].Type.Name]); err != nil {
			return nil, fmt.Errorf("exo: grant %s: %s.%w", names[i], g.granted[i].Type.Name, err)
		}
		if key, err := storeOf(o); err == nil && key != nil {
			if g.stores == nil {
				g.stores = map[any][]Object{}
			}
			g.stores[key] = nil
		}
	}
	for _, o := range g.objects {
		o = unwrapped(o)
		if key, err := g.storeOf(o); err == nil && key != nil {
			g.stores[key] = append(g.stores[key], o)
		}
	}
	if err := cmp.Or(cfg.Admits.Check(), g.labels.CheckAdmitted(cfg.Admits)); err != nil {
		return nil, err
	}
	g.kept = g.labels.Secrecy().Without(g.admits)
	if g.effect != "" && cfg.Record == nil {
		return nil, fmt.Errorf("exo: %s changes something, and there is no Record: set one, or exo.Unrecorded to keep none", g.effect)
	}
	if name := g.declassifier; name != "" && cfg.Bits == nil {
		return nil, fmt.Errorf("exo: %s answers about sealed values, and nothing limits how much: set Bits to the host's budget, see exo/declassify", name)
	}
	return g, nil
}

var errZeroGate = &fail.Error{Kind: fail.Denied, Err: errors.New("exo: this Gate was not made with NewGate")}

func (g *Gate) made() bool { return g != nil && g.now != nil }

// unwrapped is an object without the policies that it is wrapped in.
func unwrapped(o Object) Object {
	for {
		w, ok := o.(*wrapped)
		if !ok {
			return o
		}
		o = w.inner
	}
}

// AskBeneath passes a question to the object beneath the policies of o, if that has a method AnswerBeneath(any), which writes its answer into the question.
// The question's type is private to the object's package, so only that package can ask: a holder of the wrapped object gets no way to the
// object.
func AskBeneath(o Object, question any) {
	if x, ok := unwrapped(o).(interface{ AnswerBeneath(question any) }); ok {
		x.AnswerBeneath(question)
	}
}

// checkStore refuses an object that would change a unit of work by a method, unless that is "", and names no store. One that
// a reply brings is refused when it is asked.
func checkStore(o Object, method string) error {
	if method == "" {
		return nil
	}
	if key, err := storeOf(o); err != nil || key == nil {
		return fmt.Errorf("%s: %w", method, cmp.Or(err, errNoStore))
	}
	return nil
}

// SealedLabel is the label of values that programs are shown sealed: see TypeSealed. If only the result leaves, those that it admits are not.
func (g *Gate) SealedLabel() value.Label {
	if !g.made() {
		return value.Label{}
	}
	if g.leaves {
		return g.labels.Secrecy()
	}
	return g.kept
}

// plain reports whether what has a label is shown as it is: who wrote it seals nothing, and a result that admits the label is the only way out.
func (g *Gate) plain(l value.Label) bool {
	l = l.Secrecy()
	return l.Empty() || !g.leaves && l.FlowsTo(g.admits)
}

// ReadOnly reports whether nothing that is granted can change anything.
func (g *Gate) ReadOnly() bool { return g.made() && g.effect == "" }

// Catalog is every interface that the grants reach. It must not be changed. It is nil only of
// a Gate that NewGate did not make.
func (g *Gate) Catalog() message.Catalog {
	if !g.made() {
		return nil
	}
	return g.catalog
}

// Granted lists the granted names, sorted.
func (g *Gate) Granted() []message.GrantedName {
	if !g.made() {
		return nil
	}
	return slices.Clone(g.granted)
}

// Zone is the IANA name of the time zone that programs have.
func (g *Gate) Zone() string {
	if !g.made() {
		return ""
	}
	return g.zone.Name()
}

// recordedZone is the zone as Start has it.
func (g *Gate) recordedZone() string {
	if g.zone == nil {
		return ""
	}
	return g.zone.Name()
}

// Limits are the limits of every run.
func (g *Gate) Limits() Limits {
	if !g.made() {
		return Limits{}
	}
	return g.limits
}
