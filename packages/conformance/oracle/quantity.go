package main

import (
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

func answerQuantity(_ *testing.T, c document) error {
	var input string
	if err := read(c, "input", &input); err != nil {
		return err
	}
	for _, member := range []string{"canonical", "milli", "value", "error"} {
		delete(c, member)
	}
	quantity, err := resource.ParseQuantity(input)
	if err != nil {
		return write(c, "error", true)
	}
	canonical := canonicalText(quantity)
	// Some texts are kept as they were written although another form is canonical.
	if quantity.String() == canonical {
		if err := write(c, "canonical", canonical); err != nil {
			return err
		}
	}
	if err := write(c, "milli", strconv.FormatInt(quantity.MilliValue(), 10)); err != nil {
		return err
	}
	return write(c, "value", strconv.FormatInt(quantity.Value(), 10))
}

func canonicalText(quantity resource.Quantity) string {
	number, suffix := quantity.CanonicalizeBytes(make([]byte, 0, 64))
	return string(number) + string(suffix)
}
