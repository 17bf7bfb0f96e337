package main

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// inBubble runs f on a clock of its own, which starts in the year 2000 and moves only when f sleeps.
func inBubble(t *testing.T, f func() error) (err error) {
	synctest.Test(t, func(*testing.T) {
		defer recovered(&err)
		err = f()
	})
	return err
}

// sleepUntil sets the bubble's clock to an instant that must not be in its past.
func sleepUntil(at time.Time) error {
	wait := time.Until(at)
	if wait < 0 {
		return fmt.Errorf("the clock cannot go back to %s", at.Format(time.RFC3339Nano))
	}
	time.Sleep(wait)
	return nil
}
