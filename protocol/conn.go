package protocol

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A Conn is a control connection. One goroutine may read while others write;
// each method writes with a single Write, so that messages stay whole. Deadlines
// and closing belong to whoever owns the io.ReadWriter.
type Conn struct {
	r *bufio.Reader
	w io.Writer
}

// NewConn returns a Conn over rw, which from then on is read by it alone.
func NewConn(rw io.ReadWriter) *Conn {
	return &Conn{r: bufio.NewReader(rw), w: rw}
}

// ReadCookie reads the client's cookie. It fails with CodeRecvCookie.
func (c *Conn) ReadCookie() (Cookie, error) { return ReadCookie(c.r) }

// WriteCookie writes the cookie. It fails with CodeSendCookie.
func (c *Conn) WriteCookie(cookie Cookie) error { return WriteCookie(c.w, cookie) }

// ReadState reads one state, which may be any number. It fails with
// CodeCtrlClose at the end of the connection and with CodeRecvMessage else.
func (c *Conn) ReadState() (State, error) {
	b, err := c.r.ReadByte()
	if errors.Is(err, io.EOF) {
		return 0, NewError(CodeCtrlClose, err)
	}
	if err != nil {
		return 0, NewError(CodeRecvMessage, err)
	}
	return State(b), nil
}

// WriteState writes one state. It fails with CodeSendMessage.
func (c *Conn) WriteState(s State) error {
	if _, err := c.w.Write([]byte{byte(s)}); err != nil {
		return NewError(CodeSendMessage, err)
	}
	return nil
}

// ReadJSON reads one frame, a length and a JSON object, of at most limit bytes.
// Memory grows with the bytes that arrive, not with the length announced. It
// fails with CodeRecvParams when the frame is too long, incomplete or not an
// object.
func (c *Conn) ReadJSON(limit int) ([]byte, error) {
	return c.readFrame(limit, CodeRecvParams)
}

// WriteJSON writes one frame. It fails with CodeCtrlWrite.
func (c *Conn) WriteJSON(b []byte) error { return c.writeFrame(b, CodeCtrlWrite) }

// ReadParams reads and parses the client's parameters of at most
// MaxParamsLength bytes. See ParseParams for warnings and errors.
func (c *Conn) ReadParams() (Params, []Warning, error) {
	length, err := c.ReadParamsLength()
	if err != nil {
		return Params{}, nil, err
	}
	return c.ReadParamsOf(length)
}

// ReadParamsLength reads how long the client's parameters will be, for a server
// that has many clients and little memory. ReadParamsOf must follow. It fails
// with CodeRecvParams.
func (c *Conn) ReadParamsLength() (int, error) {
	return c.readLength(MaxParamsLength, CodeRecvParams)
}

// ReadParamsOf is the rest of ReadParams after ReadParamsLength.
func (c *Conn) ReadParamsOf(length int) (Params, []Warning, error) {
	b, err := c.readBody(length, CodeRecvParams)
	if err != nil {
		return Params{}, nil, err
	}
	return ParseParams(b)
}

// WriteParams writes the client's parameters. It fails with CodeSendParams, also
// when they are longer than servers accept.
func (c *Conn) WriteParams(p *Params) error {
	b, err := p.Marshal()
	if err != nil {
		return err
	}
	return c.writeFrame(b, CodeSendParams)
}

// ReadResults reads and parses the peer's results of at most limit bytes,
// MaxClientResults or MaxServerResults. It fails with CodeRecvResults.
func (c *Conn) ReadResults(limit int) (Results, []Warning, error) {
	b, err := c.readFrame(limit, CodeRecvResults)
	if err != nil {
		return Results{}, nil, err
	}
	return ParseResults(b)
}

// WriteResults writes the results of this side. It fails with CodeSendResults,
// or with CodePackageResults when they cannot be written as JSON.
func (c *Conn) WriteResults(r *Results) error {
	b, err := r.Marshal()
	if err != nil {
		return err
	}
	return c.writeFrame(b, CodeSendResults)
}

func (c *Conn) readFrame(limit int, code Code) ([]byte, error) {
	length, err := c.readLength(limit, code)
	if err != nil {
		return nil, err
	}
	return c.readBody(length, code)
}

func (c *Conn) readLength(limit int, code Code) (int, error) {
	var head [4]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return 0, NewError(code, err)
	}
	length := binary.BigEndian.Uint32(head[:])
	if length == 0 || uint64(length) > uint64(limit) {
		return 0, NewError(code, fmt.Errorf("JSON of %d bytes, at most %d are accepted", length, limit))
	}
	return int(length), nil
}

func (c *Conn) readBody(length int, code Code) ([]byte, error) {
	var body bytes.Buffer
	n, err := io.CopyN(&body, c.r, int64(length))
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, NewError(code, fmt.Errorf("JSON ends after %d of %d bytes: %w", n, length, err))
	}
	if b := bytes.TrimLeft(body.Bytes(), jsonSpace); len(b) == 0 || b[0] != '{' {
		return nil, NewError(code, errors.New("JSON is not an object"))
	}
	return body.Bytes(), nil
}

func (c *Conn) writeFrame(b []byte, code Code) error {
	frame := make([]byte, 4, 4+len(b))
	binary.BigEndian.PutUint32(frame, uint32(len(b)))
	if _, err := c.w.Write(append(frame, b...)); err != nil {
		return NewError(code, err)
	}
	return nil
}

// ReadServerError reads what follows ServerError: iperf3's number and the
// server's. Servers of 3.2 to 3.18 leave out the second when authentication
// fails; a server that says nothing at all gives CodeCtrlClose. The result is
// never nil, and Remote.
func (c *Conn) ReadServerError() *Error {
	var words [8]byte
	n, err := io.ReadFull(c.r, words[:])
	e := &Error{Code: CodeCtrlClose, Remote: true}
	if n < 4 {
		e.Err = err
		return e
	}
	e.Code = Code(binary.BigEndian.Uint32(words[:]))
	if n == len(words) {
		e.Errno = int32(binary.BigEndian.Uint32(words[4:]))
	}
	return e
}

// WriteServerError writes ServerError and both numbers. The second is e.Errno
// or that of the cause, counted as Linux does. It fails with CodeSendMessage.
func (c *Conn) WriteServerError(e *Error) error {
	number := e.Errno
	if number == 0 {
		number = causeNumber(e.Err)
	}
	message := make([]byte, 1, 9)
	state := ServerError
	message[0] = byte(state)
	message = binary.BigEndian.AppendUint32(message, uint32(e.Code))
	message = binary.BigEndian.AppendUint32(message, uint32(number))
	if _, err := c.w.Write(message); err != nil {
		return NewError(CodeSendMessage, err)
	}
	return nil
}
