// Package workload makes the inputs of a run: sessions, and the text of every
// turn, at the lengths asked for.
//
// Text is generated, not shipped: a seeded generator writes Chinese and English
// prose on neutral subjects and paragraphs of code, endlessly, so that no run
// wraps around a corpus. The same seed, nonce and lengths give the same bytes
// on every platform and with every release of Go.
//
// # Layout
//
// A prefix request is one user message: prefix, blank line, suffix. Request i
// uses prefix i mod N; its suffix is its own. A conversation opens with long
// material; each follow-up is a short record of its own with a question. The
// last part of every measured message is a fixed instruction to write at
// length, in the language of the text. There is no system prompt.
//
// The first line of every prefix and of every conversation is the run's nonce
// with a number, so that nothing a server has cached from another run, or from
// another session of this one, fits.
//
// # Lengths
//
// The length of a prefix request is prefix plus suffix. The length of a
// conversation's first request is that of its material; every follow-up adds
// its own length, the chat template's share included and the model's answer
// left out. The nonce, the instruction and, in the server's unit, the chat
// template are all part of the length.
//
// In the local unit a length follows from [Estimate]. In the server's unit
// [Calibrate] first learns from at most four probes how the server counts.
//
// # Text of three kinds, and short text
//
// Long text is half Chinese, three tenths English and two tenths code, in
// every piece alike. Text shorter than about 600 tokens is Chinese alone and
// is put together, in one run, from one cast of clauses: each short text deals
// the whole cast in an order of its own and adds readings (numbers of two
// digits) that no other has. Whatever way a server cuts text into tokens, such
// texts are of one length, which no sample of free prose would be.
package workload
