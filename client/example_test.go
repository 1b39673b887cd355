package client_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"time"

	"linkperf/client"
	"linkperf/protocol/measure"
	"linkperf/server"
)

// startExampleServer stands in for a server somewhere else.
func startExampleServer() (port int, stop func()) {
	s := &server.Server{Bind: "127.0.0.1", AnyPort: true}
	ln, err := s.Listen(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(ctx, ln)
	}()
	return ln.Addr().(*net.TCPAddr).Port, func() { cancel(); <-served }
}

// A test in a few lines: the result is all that is needed.
func ExampleRun() {
	port, stop := startExampleServer()
	defer stop()

	result, err := client.Run(context.Background(), client.Config{
		Host: "127.0.0.1", Port: port, Blocks: 10, // instead of Blocks, most tests have a Time
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range result.Streams {
		fmt.Println("stream", s.Stream.ID, "sent", s.Sent.Bytes, "bytes, received", s.Received.Bytes)
	}
	// Output: stream 1 sent 1310720 bytes, received 1310720
}

// ticker is a sink that shows a test while it runs.
type ticker struct{ measure.Recorder }

func (t *ticker) Interval(iv *measure.Interval) error {
	sum, _ := iv.Sum(true)
	fmt.Printf("%.0f to %.0f s: %v\n", sum.Start.Seconds(), sum.End.Seconds(), sum.BitsPerSecond() > 0)
	return t.Recorder.Interval(iv)
}

// A sink is told about every interval as it ends.
func ExampleRun_sink() {
	port, stop := startExampleServer()
	defer stop()

	var sink ticker
	_, err := client.Run(context.Background(), client.Config{
		Host: "127.0.0.1", Port: port, Time: 2 * time.Second, Rate: 10e6,
	}, &sink)
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 to 1 s: true
	// 1 to 2 s: true
}
