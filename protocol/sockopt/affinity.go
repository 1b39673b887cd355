package sockopt

import (
	"fmt"

	"linkperf/protocol"
)

// SetAffinity pins all threads of this process to one CPU, counted from 0, and
// returns what undoes it. Threads that start later inherit it. The error is
// iperf3's number 132.
func SetAffinity(cpu int) (restore func() error, err error) {
	restore, err = setAffinity(cpu)
	if err != nil {
		return nil, protocol.NewError(protocol.CodeAffinity, fmt.Errorf("use CPU %d only: %w", cpu, err))
	}
	return restore, nil
}
