package difference

// This file knows who decides at a terminal.

import (
	"os/user"

	"github.com/exoagent/exoagent/exo/review"
)

// Operator is who sits at the terminal, as the operating system knows them.
func Operator() (review.Approver, error) {
	u, err := user.Current()
	if err != nil {
		return review.Approver{}, err
	}
	return review.Approver{Name: u.Username, How: review.Terminal}, nil
}
