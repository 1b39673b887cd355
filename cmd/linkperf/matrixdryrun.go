package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"linkperf/client/matrix"
	"linkperf/client/matrix/system"
)

// rehearse prints what a plan would do, in its order: the runs, what would be
// changed of the system for them and brought back, and the plan's commands. It
// changes nothing. Its error is why the plan would be refused.
func (m *matrixCommand) rehearse(ctx context.Context, w io.Writer, p *matrix.Plan, cases []matrix.Case) error {
	wants, changing, err := wanted(cases)
	if err != nil {
		return err
	}
	steps := p.Schedule(cases)
	var text strings.Builder
	fmt.Fprintf(&text, "%s, %s, about %s (seed %d)\n", several(len(cases), "case"), several(len(steps), "run"), roughly(p.Estimate(steps)), p.Seed)
	changes := new(system.Rehearsal)
	if changing {
		config, err := m.systemConfig()
		if err != nil {
			return err
		}
		changes = config.Rehearse(ctx, wants)
		text.WriteString("This plan changes the system, if it is allowed to (--allow-system-changes):\n")
		list(&text, "  ", changes.Announcement)
		if unknown := system.CheckPrivileges(); unknown != nil && changes.Refused != nil {
			fmt.Fprintf(&text, "  not all is known without the rights of root or an administrator: %s\n", strings.ReplaceAll(changes.Refused.Error(), "\n", "; "))
			changes.Refused = nil
		}
	}
	list(&text, "      run ", p.Before)
	for _, s := range steps {
		v, err := valuesOf(s.Case)
		if err != nil {
			return err
		}
		list(&text, "      change ", changes.Apply(v))
		list(&text, "      run ", s.Case.Before)
		fmt.Fprintf(&text, "%4d  round %d  %s  (%s)\n", s.Order+1, s.Round, orAll(s.Case.ID), strings.Join(s.Case.Args, " "))
		list(&text, "      run ", s.Case.After)
	}
	list(&text, "      run ", p.After)
	if changing {
		list(&text, "      undo ", changes.Restore())
		text.WriteString("What was changed is undone at the end, also after Ctrl-C, an error or a kill; after a power cut by linkperf matrix --restore")
		if m.journal != "" {
			text.WriteString(" --journal " + m.journal)
		}
		text.WriteByte('\n')
	}
	if _, err := io.WriteString(w, text.String()); err != nil {
		return err
	}
	if changes.Refused != nil {
		return fmt.Errorf("this plan would be refused: %w", changes.Refused)
	}
	return nil
}

// several is how many there are of something.
func several(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func list(w io.Writer, before string, lines []string) {
	for _, l := range lines {
		fmt.Fprintf(w, "%s%s\n", before, l)
	}
}
