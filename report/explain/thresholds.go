package explain

// Where a fact begins to mean something.
const (
	mtuPlain = 1500 // Ethernet's, IEEE 802.3
	mtuJumbo = 9000 // the usual size of larger frames

	jumboSpeed     = 10e9 // bit/s from which the number of packets costs a core
	belowClass     = 0.6  // negotiated speed over what both ports can do
	speedTolerance = 0.01 // of two speeds that are meant to be one
	pcieReserve    = 1.25 // of a PCIe slot over the link
	usbReserve     = 1.3  // of USB over the link

	ceilingReached  = 97.0  // percent of the goodput ceiling
	ceilingMissed   = 80.0  // percent
	ceilingExceeded = 102.0 // percent: what is left for rounding and clocks
	// An estimated ceiling may be this far off.
	estimateExceeded = 110.0

	rateReached = 0.95 // of the rate that was asked for
	minSeconds  = 1.0  // a shorter test has no throughput to speak of

	coreBusyMean  = 95.0 // percent, mean over the test
	coreBusyPeak  = 99.0 // percent, in the busiest interval
	coreNearlyUp  = 80.0 // percent
	stealPercent  = 5.0
	othersWork    = 25.0 // percent of a core that others took
	limitedShare  = 20.0 // percent of the busy time that a sender waited
	shaperMargin  = 1.1  // a shaper above the link's speed by this does nothing
	asymmetry     = 0.75 // slower direction over the faster one
	clockApart    = 5.0  // seconds
	maxListed     = 5    // items in one sentence
	retransCable  = 0.1  // percent of segments on a cable
	retransBeyond = 1.0  // percent on any other path
)
