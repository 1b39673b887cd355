package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"

	"linkperf/client"
	"linkperf/protocol"
	"linkperf/protocol/measure"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ = fmt.Sprint
var _ = errors.Is
var _ = io.EOF
var _ = net.Dial
var _ = time.Second
var _ context.Context
var _ client.Config
var _ protocol.Params
var _ measure.Result
