// Command testapp is what runs in the pods of a test bed with real nodes: an application whose start, stop, readiness and disruption
// probes are told to it by flags, and later by files, which `testapp set` writes and a test calls with kubectl exec.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// answers has a file for each answer that is "no".
const answers = "/answers"

func main() {
	command := "serve"
	if len(os.Args) > 1 {
		command = os.Args[1]
	}
	switch command {
	case "pause":
		untilStopped()
	case "crash":
		fmt.Fprintln(os.Stderr, "this image is broken on purpose")
		os.Exit(1)
	case "set":
		fail(set(os.Args[2:]))
	case "check":
		fail(check(os.Args[2:]))
	case "serve":
		fail(serve(os.Args[min(2, len(os.Args)):]))
	default:
		fail(fmt.Errorf("no such command: %s", command))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// untilStopped also collects processes whose parents ended: as the first process of a pod, it is their parent then.
func untilStopped() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		for {
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
	}
}

// set NAME yes|no: how that probe is answered from now on.
func set(args []string) error {
	if len(args) != 2 || (args[1] != "yes" && args[1] != "no") {
		return errors.New("usage: testapp set NAME yes|no")
	}
	file := filepath.Join(answers, args[0])
	if args[1] == "yes" {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(answers, 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, nil, 0o644)
}

func check(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: testapp check NAME")
	}
	if !yes(args[0]) {
		return fmt.Errorf("%s: no", args[0])
	}
	return nil
}

func yes(name string) bool {
	_, err := os.Stat(filepath.Join(answers, name))
	return errors.Is(err, os.ErrNotExist)
}

func serve(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	readyAfter := flags.Duration("ready-after", 0, "how long it takes to become ready")
	stopAfter := flags.Duration("stop-after", 0, "how long it takes to stop once it is told to; it stays ready meanwhile")
	refused := flags.String("no", "", "a probe that is answered with no from the start")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *refused != "" {
		if err := set([]string{*refused, "no"}); err != nil {
			return err
		}
	}
	if err := listen(time.Now().Add(*readyAfter)); err != nil {
		return err
	}
	untilStopped()
	time.Sleep(*stopAfter)
	return nil
}
