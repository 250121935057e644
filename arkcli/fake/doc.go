// Package fake is an arkcli for tests: it answers as Ark CLI does, in every
// state that Ark CLI can be in, and writes down how it was called.
//
// It runs in two ways. A test binary that calls [IfCalled] first thing in
// TestMain becomes arkcli when it is started with [EntryVar] in its
// environment. The program in the folder arkcli below this one can be built
// and put on PATH for clients that are themselves under test.
//
// It is controlled by the environment, never by arguments:
//
//	FAKE_ARKCLI_SCENARIO    names of scenarios, joined by commas: "logged_in,slow:100"
//	FAKE_ARKCLI_STATE       folder for the call log, counters and overlap marks
//	FAKE_ARKCLI_KEY         the API key (default ark-test-0000-1111)
//	FAKE_ARKCLI_KEY2        the key after `profile keys refresh`
//	FAKE_ARKCLI_BASE_URL    the data plane's address
//	FAKE_ARKCLI_DELAY_MS    sleep before every answer
//	FAKE_ARKCLI_FIXTURE_DIR files that replace an answer: auth_status.stdout, .stderr, .exit
//
// A client that hands down no environment is served by a file of the same
// KEY=VALUE lines beside the program, named arkcli-fake.env. The environment
// beats the file.
//
// A scenario "only:WORD" confines what goes wrong to commands that hold WORD.
package fake
