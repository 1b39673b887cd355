package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"linkperf/report"
)

// openTable finds out before the test whether its row can be appended to the
// table: nobody wants to learn that afterwards. The file is there from then on;
// every ending of the test gives it a row. One that a crash has left empty gets
// its header with the next row.
func openTable(file string) (err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("open the table for --csv: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil || info.Size() == 0 {
		return err
	}
	var empty bytes.Buffer
	if err := new(report.Set).WriteRunsCSV(&empty); err != nil {
		return err
	}
	want, err := csv.NewReader(&empty).Read()
	if err != nil {
		return err
	}
	if header, err := csv.NewReader(f).Read(); err != nil || !slices.Equal(header, want) {
		return fmt.Errorf("--csv: %s is no table of runs: its first line does not name their columns", file)
	}
	return nil
}

// appendCSV adds the run that the document holds to a table.
func appendCSV(file string, document io.Reader) error {
	runs, err := report.Read(document)
	for _, run := range runs {
		err = errors.Join(err, report.AppendRunCSV(file, run))
	}
	if err != nil {
		return fmt.Errorf("append the run to %s: %w", file, err)
	}
	return nil
}
