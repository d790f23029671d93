package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// The ports of a pod. Each probe asks its own, and one answer does not change another.
const (
	httpAddress = ":8080"
	tcpAddress  = ":8081"
	grpcAddress = ":8082"
)

func listen(readyAt time.Time) error {
	mux := http.NewServeMux()
	mux.HandleFunc("/ready", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, time.Now().After(readyAt) && yes("ready"))
	})
	mux.HandleFunc("/disruptable", func(w http.ResponseWriter, _ *http.Request) { answer(w, yes("http")) })
	if err := serveHTTP(httpAddress, mux, false); err != nil {
		return err
	}
	health := http.NewServeMux()
	health.HandleFunc("/grpc.health.v1.Health/Check", checkHealth)
	if err := serveHTTP(grpcAddress, health, true); err != nil {
		return err
	}
	go listenWhileYes()
	return nil
}

func answer(w http.ResponseWriter, ok bool) {
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	fmt.Fprintln(w, ok)
}

func serveHTTP(address string, handler http.Handler, grpc bool) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(!grpc)
	server.Protocols.SetUnencryptedHTTP2(grpc)
	go func() { fail(server.Serve(listener)) }()
	return nil
}

// checkHealth answers as gRPC's health service does: a message of one field (1 is SERVING, 2 is NOT_SERVING) behind its length, and the
// outcome of the call in the trailer.
func checkHealth(w http.ResponseWriter, _ *http.Request) {
	status := byte(1)
	if !yes("grpc") {
		status = 2
	}
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Trailer", "Grpc-Status")
	_, _ = w.Write([]byte{0, 0, 0, 0, 2, 0x08, status})
	w.Header().Set("Grpc-Status", "0")
}

// listenWhileYes has a port open while the answer for tcp is yes: that is all that a TCP probe asks.
func listenWhileYes() {
	var listener net.Listener
	for ; ; time.Sleep(100 * time.Millisecond) {
		switch open := yes("tcp"); {
		case open && listener == nil:
			opened, err := net.Listen("tcp", tcpAddress)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				continue
			}
			listener = opened
			go acceptAll(opened)
		case !open && listener != nil:
			_ = listener.Close()
			listener = nil
		}
	}
}

func acceptAll(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		_ = connection.Close()
	}
}
