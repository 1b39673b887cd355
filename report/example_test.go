package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"

	"linkperf/client"
	"linkperf/protocol/measure"
	"linkperf/report"
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

// A test whose document is iperf3's JSON, as iperf3 -c HOST -J prints it. With
// report.Text the sink writes iperf3's lines as the test goes on.
func ExampleNew() {
	port, stop := startExampleServer()
	defer stop()

	var document bytes.Buffer // a file, or os.Stdout
	sink, err := report.New(&document, nil, report.Options{Kind: report.JSON, Side: measure.Client})
	if err != nil {
		log.Fatal(err)
	}
	config := client.Config{Host: "127.0.0.1", Port: port, Blocks: 10}
	if _, err := client.Run(context.Background(), config, sink); err != nil {
		log.Fatal(err)
	}

	var result struct {
		End struct {
			SumReceived struct{ Bytes int64 } `json:"sum_received"`
		}
	}
	if err := json.Unmarshal(document.Bytes(), &result); err != nil {
		log.Fatal(err)
	}
	fmt.Println("received", result.End.SumReceived.Bytes, "bytes")
	// Output: received 1310720 bytes
}
