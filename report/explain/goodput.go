package explain

import (
	"linkperf/protocol"
)

// Sizes of headers and framing, in bytes.
const (
	ipv4Header     = 20 // RFC 791, without options
	ipv6Header     = 40 // RFC 8200
	ipv6Fragment   = 8  // RFC 8200 section 4.5
	tcpHeader      = 20 // RFC 9293
	tcpTimestamps  = 12 // RFC 7323, 10 and two of padding
	udpHeader      = 8  // RFC 768
	ethernetHeader = 14 // IEEE 802.3: two addresses and a type
	ethernetFCS    = 4
	ethernetGap    = 8 + 12 // preamble with start delimiter, and interpacket gap
	ethernetMin    = 64     // header to FCS
	vlanTag        = 4      // IEEE 802.1Q
)

// Medium is how a link frames packets.
type Medium int

// The media that a ceiling can be computed for. Wi-Fi is not one: what its
// rate carries depends on the radio.
const (
	Ethernet     Medium = iota
	Thunderbolt3        // up to Thunderbolt 3, or a generation that is not known
	USB4                // USB4, Thunderbolt 4 and later
)

// Of the negotiated speed of a Thunderbolt link, what packets can use. Packets
// are cut into transport packets of at most 256 bytes with 4 bytes of header;
// USB4 counts its line coding into the speed. Fitted to few published results.
const (
	thunderbolt3Share = 0.985
	usb4Share         = 0.955
)

// Framing is how payload is packed.
type Framing struct {
	Medium     Medium
	Transport  protocol.Transport // TCP or UDP; "" is TCP
	Family     int64              // of IP: 4 or 6
	MTU        int64              // the least on the way, bytes
	Timestamps bool               // TCP's option in every segment
	// Payload is the bytes of one datagram, or of one TCP segment if it is
	// smaller than the MTU allows; 0 fills the MTU.
	Payload  int64
	VLANTags int64
}

// Efficiency is the share of a link's speed that payload can have, 0 if it
// cannot be computed. A datagram above the MTU is counted in its fragments.
func (f Framing) Efficiency() float64 {
	ip := int64(ipv4Header)
	switch f.Family {
	case 4:
	case 6:
		ip = ipv6Header
	default:
		return 0
	}
	if f.MTU > 1<<20 || f.Payload > 1<<20 {
		return 0 // no such packets; keeps the sums below small
	}
	switch f.Transport {
	case "", protocol.TCP:
		header := ip + tcpHeader
		if f.Timestamps {
			header += tcpTimestamps
		}
		payload := f.MTU - header
		if f.Payload > 0 && f.Payload < payload {
			payload = f.Payload
		}
		if payload <= 0 {
			return 0
		}
		return float64(payload) / f.wire(header+payload)
	case protocol.UDP:
		payload := f.Payload
		if payload == 0 {
			payload = f.MTU - ip - udpHeader
		}
		if wire := f.datagram(payload, ip); payload > 0 && wire > 0 {
			return float64(payload) / wire
		}
	}
	return 0
}

// Ceiling is the most payload, in bits per second, that a link of that speed
// in bits per second can carry; 0 if it cannot be computed.
func (f Framing) Ceiling(speed float64) float64 { return speed * f.Efficiency() }

// datagram is the time on the wire of a UDP datagram, in bytes; 0 if the MTU
// carries none.
func (f Framing) datagram(payload, ip int64) float64 {
	data := payload + udpHeader
	if ip+data <= f.MTU {
		return f.wire(ip + data)
	}
	header := ip
	if f.Family == 6 {
		header += ipv6Fragment
	}
	part := (f.MTU - header) &^ 7 // offsets count in eights
	if part <= 0 {
		return 0
	}
	full := (data - 1) / part
	return float64(full)*f.wire(header+part) + f.wire(header+data-full*part)
}

// wire is the time that an IP packet takes on the link, in bytes.
func (f Framing) wire(packet int64) float64 {
	frame := packet + ethernetHeader + vlanTag*max(f.VLANTags, 0)
	switch f.Medium {
	case Thunderbolt3:
		return float64(frame) / thunderbolt3Share
	case USB4:
		return float64(frame) / usb4Share
	}
	return float64(max(frame+ethernetFCS, ethernetMin) + ethernetGap)
}
