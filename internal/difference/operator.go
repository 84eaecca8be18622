package difference

// This file finds the person at the terminal.

import (
	"os/user"

	"github.com/exoagent/exoagent/exo/review"
)

// Operator returns the user at the terminal, as the operating system reports it.
func Operator() (review.Approver, error) {
	u, err := user.Current()
	if err != nil {
		return review.Approver{}, err
	}
	return review.Approver{Name: u.Username, How: review.Terminal}, nil
}
