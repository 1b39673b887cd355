package server_test

import (
	"context"
	"fmt"
	"log"
	"net"

	"linkperf/client"
	"linkperf/protocol/measure"
	"linkperf/server"
)

// A server of one test that hands its result on.
func ExampleServer() {
	var recorder measure.Recorder
	s := &server.Server{
		Bind: "127.0.0.1", AnyPort: true, OneOff: true,
		NewSink: func(server.TestInfo) measure.Sink { return &recorder },
	}
	ctx := context.Background()
	ln, err := s.Listen(ctx)
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		port := ln.Addr().(*net.TCPAddr).Port
		if _, err := client.Run(ctx, client.Config{Host: "127.0.0.1", Port: port, Blocks: 10}, nil); err != nil {
			log.Print(err)
		}
	}()
	if err := s.Serve(ctx, ln); err != nil {
		log.Fatal(err)
	}
	result, err := recorder.Result()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("received", result.Streams[0].Received.Bytes, "bytes")
	// Output: received 1310720 bytes
}
