package status

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Refusal is an answer of the API server that isn't what was asked for.
type Refusal struct {
	Code    int    // of HTTP
	Message string // the server's; may quote what was sent
}

// Error says what the server said.
func (r *Refusal) Error() string {
	return fmt.Sprintf("the API server answers %d: %s", r.Code, r.Message)
}

// refusalOf reads a Status object, or takes what else a server or proxy says.
func refusalOf(code int, text []byte) *Refusal {
	r := &Refusal{Code: code}
	var s metav1.Status
	if json.Unmarshal(text, &s) == nil {
		r.Message = s.Message
	}
	r.Message = cmp.Or(r.Message, http.StatusText(code), "no reason given")
	return r
}

// Passing says whether an error may go away by itself: the network's, an overloaded or
// starting server's, and those of access, which a server learns of a moment after it was
// granted.
func Passing(err error) bool {
	var r *Refusal
	if !errors.As(err, &r) {
		return true
	}
	switch r.Code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	default:
		return r.Code >= http.StatusInternalServerError
	}
}

// Gone says whether an error means that there is no such object.
func Gone(err error) bool {
	var r *Refusal
	return errors.As(err, &r) && r.Code == http.StatusNotFound
}

// Bounds of the pauses between attempts, and of one attempt.
const (
	firstPause  = 100 * time.Millisecond
	longPause   = 5 * time.Second
	attemptTime = 15 * time.Second
)

// Patiently tries something until it succeeds, fails in a way that won't pass, or ctx
// ends; then it returns the last error of the attempts.
func Patiently(ctx context.Context, try func(context.Context) error) error {
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		err := once(ctx, try)
		if err == nil || !Passing(err) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

func once(ctx context.Context, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	return try(ctx)
}
