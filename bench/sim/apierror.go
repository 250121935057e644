package sim

import (
	"encoding/json"
	"fmt"
	"strings"
)

// apiError is an error in the shape of Ark's.
type apiError struct {
	status  int
	code    string
	message string
	param   string
	kind    string // "type" in JSON
}

// refusal makes an error of a code, with the status and type that go with it.
func refusal(code, format string, args ...any) *apiError {
	known := errorClass(code)
	return &apiError{status: known.status, code: code, message: fmt.Sprintf(format, args...), kind: known.kind}
}

// on names the parameter that the error is about.
func (e *apiError) on(param string) *apiError {
	e.param = param
	return e
}

// body is the error as JSON, with the request id in its message.
func (e *apiError) body(requestID string) string {
	type inner struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Param   string `json:"param"`
		Type    string `json:"type"`
	}
	b, err := json.Marshal(struct {
		Error inner `json:"error"`
	}{inner{e.code, e.message + " Request id: " + requestID, e.param, e.kind}})
	if err != nil {
		return `{"error":{}}`
	}
	return string(b)
}

type errorKind struct {
	status  int
	kind    string
	message string
}

// errorClass gives the status, type and usual text of an Ark error code. A
// code that it doesn't know is a bad request.
func errorClass(code string) errorKind {
	for _, known := range errorCodes() {
		if code == known.code || strings.HasPrefix(code, known.code+".") {
			return known.errorKind
		}
	}
	return errorKind{400, "BadRequest", "The request failed because it is not valid."}
}

type errorCode struct {
	code string
	errorKind
}

func errorCodes() []errorCode {
	bad := func(text string) errorKind { return errorKind{400, "BadRequest", text} }
	forbidden := func(text string) errorKind { return errorKind{403, "Forbidden", text} }
	missing := func(text string) errorKind { return errorKind{404, "NotFound", text} }
	tooMany := func(text string) errorKind { return errorKind{429, "TooManyRequests", text} }
	return []errorCode{
		{"AuthenticationError", errorKind{401, "Unauthorized", "The API key or AK/SK in the request is missing or invalid."}},
		{"InvalidAccountStatus", errorKind{401, "Forbidden", "The account is in a state that does not allow the request."}},
		{"MissingParameter", bad("A required parameter is missing.")},
		{"InvalidParameter", bad("A parameter is not valid.")},
		{"InvalidArgumentError", bad("An argument is not valid.")},
		{"OutofContextError", bad("The request is longer than the model's context window.")},
		{"InvalidEndpoint.ClosedEndpoint", bad("The endpoint is closed or temporarily unavailable.")},
		{"InputTextSensitiveContentDetected", bad("The input text may contain sensitive information.")},
		{"OutputTextSensitiveContentDetected", bad("The output text may contain sensitive information.")},
		{"InputTextRiskDetection", bad("The input text was stopped by risk detection.")},
		{"AccessDenied", forbidden("The account has no access to this resource.")},
		{"OperationDenied", forbidden("The operation is not allowed.")},
		{"AccountOverdueError", forbidden("The account has an overdue balance.")},
		{"InvalidEndpointOrModel", missing("The model or endpoint does not exist, or you do not have access to it.")},
		{"ModelNotOpen", missing("The account has not activated the model.")},
		{"UnsupportedModel", missing("The model does not support this API.")},
		{"NotFound", missing("The resource was not found.")},
		{"RateLimitExceeded.EndpointRPMExceeded", tooMany("The requests per minute (RPM) limit of the endpoint for your account has been exceeded.")},
		{"RateLimitExceeded.EndpointTPMExceeded", tooMany("The tokens per minute (TPM) limit of the endpoint for your account has been exceeded.")},
		{"RateLimitExceeded", tooMany("A rate limit has been exceeded.")},
		{"ModelAccountRpmRateLimitExceeded", tooMany("The RPM limit of the model for your account has been exceeded.")},
		{"ModelAccountTpmRateLimitExceeded", tooMany("The TPM limit of the model for your account has been exceeded.")},
		{"ModelAccountIpmRateLimitExceeded", tooMany("The IPM limit of the model for your account has been exceeded.")},
		{"APIAccountRpmRateLimitExceeded", tooMany("The RPM limit of this API for your account has been exceeded.")},
		{"AccountRateLimitExceeded", tooMany("The rate limit of your account has been exceeded.")},
		{"ServerOverloaded", tooMany("The service is overloaded.")},
		{"RequestBurstTooFast", tooMany("The request rate has grown too fast.")},
		{"QuotaExceeded", tooMany("The free quota of your account is used up.")},
		{"SetLimitExceeded", tooMany("The limit that you set for this model has been reached.")},
		{"InflightBatchsizeExceeded", tooMany("The limit of requests in flight has been reached.")},
		{"InternalServiceError", errorKind{500, "InternalServerError", "The service met an internal error."}},
	}
}

// standard is the usual error of a code.
func standard(code string) *apiError {
	return refusal(code, "%s", errorClass(code).message)
}
