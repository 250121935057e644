package sim

import (
	"fmt"
	"net/http"
)

const htmlPage = "<!DOCTYPE html>\n<html><head><title>%[1]s</title></head><body><h1>%[1]s</h1></body></html>\n"

// bodyFaults answer with something that is not a stream.
func bodyFaults() []fault {
	return []fault{
		{name: "html_200", doc: "200 with a login page", refuse: htmlAnswer(http.StatusOK, "Sign in")},
		{name: "http_502", doc: "502 with an HTML page", refuse: htmlAnswer(http.StatusBadGateway, "502 Bad Gateway")},
		{name: "json_200", doc: "200 with an error object as JSON", refuse: func(x *exchange, _ argument) *plan {
			return bodyPlan(http.StatusOK, contentJSON, standard("InternalServiceError").body(x.id))
		}},
		{name: "redirect", arg: text("/elsewhere/chat/completions"), doc: "307 to another place", refuse: func(_ *exchange, a argument) *plan {
			p := bodyPlan(http.StatusTemporaryRedirect, "text/plain", "")
			p.header.Set("Location", a.text)
			return p
		}},
		{name: "hangup", doc: "closes the connection without an answer", refuse: func(*exchange, argument) *plan {
			p := bodyPlan(http.StatusOK, "text/plain", "")
			p.events, p.ending = events(), endCut
			return p
		}},
		{name: "silence", doc: "takes the request and never answers", refuse: func(*exchange, argument) *plan {
			p := bodyPlan(http.StatusOK, "text/plain", "")
			p.events, p.ending = events(), endHang
			return p
		}},
	}
}

func htmlAnswer(status int, title string) func(*exchange, argument) *plan {
	return func(*exchange, argument) *plan {
		return bodyPlan(status, "text/html; charset=utf-8", fmt.Sprintf(htmlPage, title))
	}
}
