package system

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"
)

// ownGroup keeps the signals of a console away from a command.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// inherit does nothing: the commands here take no open files.
func inherit(*exec.Cmd, *os.File) {}

// privileged reports whether this process has the administrator's rights, not
// only an account that could have them.
func privileged() bool {
	token, err := syscall.OpenCurrentProcessToken()
	if err != nil {
		return false
	}
	defer token.Close()
	// TOKEN_ELEVATION has one member, TokenIsElevated.
	var elevated, length uint32
	err = syscall.GetTokenInformation(token, syscall.TokenElevation, (*byte)(unsafe.Pointer(&elevated)), uint32(unsafe.Sizeof(elevated)), &length)
	return err == nil && elevated != 0
}

var getSystemDirectory = syscall.NewLazyDLL("kernel32.dll").NewProc("GetSystemDirectoryW")

func systemDirectory() string {
	var path [syscall.MAX_PATH]uint16
	n, _, _ := getSystemDirectory.Call(uintptr(unsafe.Pointer(&path[0])), uintptr(len(path)))
	if n == 0 || n >= uintptr(len(path)) {
		return `C:\Windows\System32`
	}
	return syscall.UTF16ToString(path[:n])
}
