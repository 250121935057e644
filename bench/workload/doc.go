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
// # Text of three kinds, and text whose length must not vary
//
// Text is half Chinese, three tenths English and two tenths code, in every
// piece alike; text shorter than 600 tokens is Chinese alone. Every text ends
// with a line of readings, numbers of two digits, which fill what no sentence
// fits into.
//
// Two free texts of one local length differ on a server by some fifteen tokens,
// however long they are. That is little in a request of 6,000 tokens and too
// much in a follow-up of 256. Where lengths are the server's, shorter text is
// therefore put together, in one run, from one cast of clauses: each text deals
// the same clauses in an order of its own, cut apart where tokenizers cut, and
// adds readings that no other has. Such texts are of one length to within a
// token or two, whatever the tokenizer.
//
// # A corpus
//
// [OpenCorpus] reads the user's own text instead. It is cut to local lengths
// exactly; how near it comes to lengths in the server's tokens depends on how
// even it is. Recorded conversations are replayed as they are.
package workload
