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

// Principal names the user for whom a run happens. It grants nothing, but records name it, tickets
// of policy.Approve are for one principal, and a worker pool is fair among principals. Set it
// wherever you serve more than one user.
type Principal string

// Config describes a gate. The zero Config grants nothing and admits public values only.
type Config struct {
	Grants map[string]Object // the names that a program finds, and what they refer to
	Limits Limits
	Admits value.Label      // the labels that the result of a run may carry
	Now    func() time.Time // for records, and for runs without a Clock; nil: time.Now
	Zone   string           // the IANA name of the time zone for local time and today in programs; "": UTC

	// Record keeps what happens. If a granted object can change something, Record must be set; set it to Unrecorded
	// to keep nothing. If no granted object can change anything, Record may be nil, which keeps nothing.
	Record Recorder
	// Review decides whether a run may commit: see Reviewer. If it is nil, every run may.
	Review Reviewer
	// Bits bounds what declassifiers reveal, and must be set if one is granted: see Method.Declassifies.
	Bits BitBudget
	// Budgets bound what several runs use together, even runs of different tools; nil: no budget bounds them.
	Budgets Budgets
	// SeveralStores lets a run change several databases, each with a commit of its own: if one
	// fails after another, it is not known what was kept.
	SeveralStores bool

	// Console is called with each line that a program logs, while the program runs, but never with a line whose label Admits does not admit. Console
	// may be nil. It gets the lines of one run (Line.RunID) in order and one at a time, on the goroutine that follows the run. It may get lines
	// of several runs at once. The program waits meanwhile, so Console must not block, nor call into a run. If Console panics, that run ends,
	// undoes what it can, and panics with the same value.
	Console func(Line)
}

// Gate has the objects that a program may use, and is the only way to use them: every
// message of every run goes through (*Session).Submit. A Gate is immutable and may be
// used by many runs at once.
type Gate struct {
	*declared
	objects []Object                    // the granted objects by ID
	own     map[*message.Interface]bool // the interfaces in the objects' own descriptions; the catalogue has copies
	limits  Limits
	admits  value.Label
	record  Recorder // nil: nothing is recorded
	review  Reviewer // nil: nothing is reviewed
	bits    BitBudget
	budgets Budgets
	now     func() time.Time
	zone    *zone.Zone
	console func(Line)
	kept    value.Label // all labels that the result may not carry, but values of the grants may have
	judged  []string    // the names of the grants with a policy that looks at sealed values, sorted

	severalStores bool

	stores map[any][]Object // the stores that a grant can change, each with its objects, without their policies
}

// NewGate checks the grants and freezes them. It fails if an object can't be used, if a grant
// has a forbidden name, or if two objects describe one interface differently.
func NewGate(cfg Config) (*Gate, error) {
	g := &Gate{limits: cfg.Limits.OrDefault(), admits: cfg.Admits, bits: cfg.Bits, budgets: cfg.Budgets, review: cfg.Review, now: cfg.Now, console: cfg.Console, severalStores: cfg.SeveralStores}
	if cfg.Record != Unrecorded {
		g.record = cfg.Record
	}
	var err error
	if g.zone, err = zone.Load(cfg.Zone); err != nil {
		return nil, fail.Errorf(fail.Invalid, "exo: NewGate", "%v", err)
	}
	if g.now == nil {
		g.now = time.Now
	}
	names := slices.Sorted(maps.Keys(cfg.Grants))
	described := make([]message.Description, len(names))
	for i, name := range names {
		o := cfg.Grants[name]
		if err := scalar.GrantName(name); err != nil {
			return nil, fmt.Errorf("exo: %w", err)
		}
		if o == nil {
			return nil, fmt.Errorf("exo: the grant %s is nil: give it an object, or leave it out", name)
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
	for i, o := range g.objects { // stores belong to the objects, so g.declared, which gates share, must not have them
		if judges(o) {
			g.judged = append(g.judged, names[i])
		}
		o = unwrapped(o)
		if a, ok := o.(Asker); ok && cfg.Review == nil && a.MayAsk() {
			return nil, fmt.Errorf("exo: grant %s: %w", names[i], errNoReview)
		}
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
		return nil, fmt.Errorf("exo: %s changes something, but no Record is set: set Record to a Recorder, or to exo.Unrecorded to keep no record", g.effect)
	}
	if name := g.declassifier; name != "" && cfg.Bits == nil {
		return nil, fmt.Errorf("exo: %s answers about sealed values, but nothing limits how much it reveals: set Bits to the host's budget (see exo/declassify)", name)
	}
	return g, nil
}

var errZeroGate = &fail.Error{Kind: fail.Denied, Err: errors.New("exo: the zero Gate can't be used: make one with exo.NewGate")}

func (g *Gate) made() bool { return g != nil && g.now != nil }

// unwrapped returns an object without the policies that it is wrapped in.
func unwrapped(o Object) Object {
	for {
		w, ok := o.(*wrapped)
		if !ok {
			return o
		}
		o = w.inner
	}
}

// AskBeneath passes a question to the object that the policies of o wrap, if that object has a method AnswerBeneath(any). The method writes its answer
// into the question. The question's type is private to the object's package, so only that package can ask. Other code gets no way around
// the policies.
func AskBeneath(o Object, question any) {
	if x, ok := unwrapped(o).(interface{ AnswerBeneath(question any) }); ok {
		x.AnswerBeneath(question)
	}
}

// checkStore refuses an object with a method that changes a unit of work, but without a store. method is that method, or "" if there is
// none. An object that comes with a reply is checked when it gets a message.
func checkStore(o Object, method string) error {
	if method == "" {
		return nil
	}
	if key, err := storeOf(o); err != nil || key == nil {
		return fmt.Errorf("%s: %w", method, cmp.Or(err, errNoStore))
	}
	return nil
}

// SealedLabel is the label of the values that programs get sealed (TypeSealed). If values can leave by the result alone, the values that
// the result admits are not sealed.
func (g *Gate) SealedLabel() value.Label {
	if !g.made() {
		return value.Label{}
	}
	if g.leaves {
		return g.labels.Secrecy()
	}
	return g.kept
}

// plain reports whether values with label l are shown unsealed. Tags of integrity seal nothing. A label of secrecy seals nothing if the
// result is the only way out and admits it.
func (g *Gate) plain(l value.Label) bool {
	return l.Secrecy().Empty() || !g.leaves && MayLeave(l, g.admits)
}

// ReadOnly reports whether no granted object can change anything.
func (g *Gate) ReadOnly() bool { return g.made() && g.effect == "" }

// Catalog is every interface that the grants reach. It must not be changed. It is nil only
// if NewGate did not make the Gate.
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

// recordedZone is the zone for the entry Begun, which has "" for UTC.
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
