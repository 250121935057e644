package arkcli

import (
	"encoding/json"
	"errors"
	"fmt"
)

// printed is everything that values show when printed or encoded, fixes and
// notes of an error included.
func printed(values ...any) string {
	out := ""
	for _, v := range values {
		encoded, _ := json.Marshal(v)
		out += fmt.Sprintf("%v %+v %#v %s\n", v, v, v, encoded)
		var e *Error
		if err, ok := v.(error); ok && errors.As(err, &e) {
			out += fmt.Sprintf("%+v %s\n", *e, e.Advice())
		}
	}
	return out
}
