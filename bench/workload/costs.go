package workload

// costs is all that lengths depend on.
type costs struct {
	meter      meter
	message    micro // of the chat template in a request of one message
	exchange   micro // of the chat template in each further pair of messages
	first, own Fit   // of short prefixes or first turns, and of short suffixes or follow-ups
}

func localCosts() costs { return costs{meter: localMeter()} }
