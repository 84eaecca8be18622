package queue

// Sender is who sends a job: a player, at an address. Players cost nothing to make
// and addresses do, so an address is what takes turns.
type Sender struct{ Address, Player string }

// turns is the order of the jobs that wait: addresses take turns, the players of
// one address take turns when it is that address's, and a player's jobs keep their order.
type turns struct {
	addresses []*address // the one whose turn is next first; none is empty
	waiting   int
}

type address struct {
	name    string
	players []*player // as in turns
	waiting int
}

type player struct {
	name string
	jobs []*job
}

func (t *turns) add(s Sender, j *job) {
	a := find(t.addresses, func(a *address) bool { return a.name == s.Address })
	if a == nil {
		a = &address{name: s.Address}
		t.addresses = append(t.addresses, a)
	}
	p := find(a.players, func(p *player) bool { return p.name == s.Player })
	if p == nil {
		p = &player{name: s.Player}
		a.players = append(a.players, p)
	}
	p.jobs = append(p.jobs, j)
	a.waiting++
	t.waiting++
}

func find[T any](all []*T, is func(*T) bool) *T {
	for _, x := range all {
		if is(x) {
			return x
		}
	}
	return nil
}

// next takes the job out whose turn it is. There must be one.
func (t *turns) next() *job {
	a := t.addresses[0]
	p := a.players[0]
	j := p.jobs[0]
	p.jobs = p.jobs[1:]
	a.waiting--
	t.waiting--
	a.players = rotated(a.players, len(p.jobs) > 0)
	t.addresses = rotated(t.addresses, a.waiting > 0)
	return j
}

// rotated puts the first behind the others, or away.
func rotated[T any](all []T, stays bool) []T {
	first := all[0]
	all = all[1:]
	if stays {
		all = append(all, first)
	}
	return all
}

// of is how many jobs of a sender's address, and of the sender, wait.
func (t *turns) of(s Sender) (address, player int) {
	for _, a := range t.addresses {
		if a.name != s.Address {
			continue
		}
		for _, p := range a.players {
			if p.name == s.Player {
				player = len(p.jobs)
			}
		}
		return a.waiting, player
	}
	return 0, 0
}

// position is which of those that wait this job is, from 1, if nobody comes later.
// It plays the turns, so it can't say otherwise than next.
func (t *turns) position(j *job) int {
	c := turns{waiting: t.waiting}
	for _, a := range t.addresses {
		b := &address{waiting: a.waiting}
		for _, p := range a.players {
			b.players = append(b.players, &player{jobs: p.jobs})
		}
		c.addresses = append(c.addresses, b)
	}
	for n := 1; c.waiting > 0; n++ {
		if c.next() == j {
			return n
		}
	}
	return 0
}
