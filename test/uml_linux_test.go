package test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// User Mode Linux is a kernel that runs as an ordinary program. Debian's has
// what the kernels of containers and small virtual machines often lack: SCTP,
// and the queueing disciplines netem and fq. TestUML boots it with this host's
// files as its root and this test program as its init, which runs the test
// program once more for the tests named TestKernel.

// umlDir, in the environment of init, names the directory with the job.
const umlDir = "LINKPERF_UML_DIR"

// umlJob is what init is told, as the file "job" in umlDir. What it answers
// are the files "output" and "status" there.
type umlJob struct {
	Modules []string // files, in the order in which they are to be loaded
	Dir     string   // working directory
	Args    []string
	Env     []string
}

// TestUML runs the TestKernel tests inside User Mode Linux.
func TestUML(t *testing.T) {
	want(t, "LINKPERF_TEST_UML", "make test-uml")
	kernel, err := exec.LookPath("linux.uml")
	need(t, err == nil, "no linux.uml in PATH: install the package user-mode-linux")
	stockPeers(t)

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	// LINKPERF_TEST_UML=TestKernelSCTP/sctp-n runs that test only.
	pattern := "^TestKernel"
	if only := os.Getenv("LINKPERF_TEST_UML"); only != "1" {
		pattern = only
	}
	dir := t.TempDir()
	job := umlJob{
		Modules: umlModules(t, "md5", "sha1_generic", "hmac", "crc32c_generic", "sctp", "sch_netem", "sch_fq", "veth"),
		Dir:     wd,
		Args:    []string{self, "-test.run=" + pattern, "-test.v", "-test.timeout=9m"},
		Env: append(os.Environ(), insideUML+"=1", "LINKPERF_BIN="+build(t), "TMPDIR="+dir,
			"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
	}
	text, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "job"), text, 0o600); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, kernel, "mem=768M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw",
		"init="+self, umlDir+"="+dir, "uml_dir="+filepath.Join(dir, "uml")+"/", "con=null", "con0=null,fd:1", "quiet")
	var console bytes.Buffer
	cmd.Stdout, cmd.Stderr = &console, &console
	// Every process inside is a child of the kernel's: one group to kill.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	began := time.Now()
	bootErr := cmd.Run()
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	output, _ := os.ReadFile(filepath.Join(dir, "output"))
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	t.Logf("%.1f s inside User Mode Linux:\n%s", time.Since(began).Seconds(), output)
	switch {
	case err != nil:
		t.Fatalf("the kernel came to no end (%v), its console says:\n%s", bootErr, &console)
	case string(status) != "0":
		t.Errorf("the tests inside ended with status %s", status)
	case !bytes.Contains(output, []byte("--- PASS: TestKernel")):
		t.Error("no test ran inside")
	}
}

// umlModules returns the files of kernel modules and of all that they depend
// on, each after what it depends on.
func umlModules(t *testing.T, names ...string) []string {
	t.Helper()
	lists, _ := filepath.Glob("/usr/lib/uml/modules/*/modules.dep")
	need(t, len(lists) > 0, "no modules for User Mode Linux: install the package user-mode-linux")
	list := lists[len(lists)-1]
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	builtin, _ := os.ReadFile(filepath.Join(filepath.Dir(list), "modules.builtin"))
	var files []string
	for _, name := range names {
		found := bytes.Contains(builtin, []byte("/"+name+".ko\n"))
		for line := range strings.Lines(string(text)) {
			file, needs, _ := strings.Cut(strings.TrimSpace(line), ":")
			if filepath.Base(file) != name+".ko" {
				continue
			}
			found = true
			dependencies := strings.Fields(needs)
			for i := len(dependencies) - 1; i >= 0; i-- {
				files = append(files, filepath.Join(filepath.Dir(list), dependencies[i]))
			}
			files = append(files, filepath.Join(filepath.Dir(list), file))
		}
		need(t, found, "User Mode Linux has no module %s", name)
	}
	return files
}

// bootedAsInit tells whether this process is the init of a User Mode Linux.
func bootedAsInit() bool { return os.Getpid() == 1 && os.Getenv(umlDir) != "" }

// runAsInit prepares the machine, runs the job, writes down how it ended and
// switches the machine off. It does not return.
func runAsInit() {
	dir := os.Getenv(umlDir)
	status, err := runJob(dir)
	if err != nil {
		fmt.Println("init:", err) // to the console
	} else if err := os.WriteFile(filepath.Join(dir, "status"), []byte(strconv.Itoa(status)), 0o600); err != nil {
		fmt.Println("init:", err)
	}
	syscall.Sync()
	syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF)
}

func runJob(dir string) (status int, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "job"))
	if err != nil {
		return 0, err
	}
	var job umlJob
	if err := json.Unmarshal(text, &job); err != nil {
		return 0, err
	}
	for _, m := range []struct{ kind, at string }{{"proc", "/proc"}, {"sysfs", "/sys"}, {"tmpfs", "/dev/shm"}} {
		os.MkdirAll(m.at, 0o755)
		if err := syscall.Mount(m.kind, m.at, m.kind, 0, ""); err != nil {
			return 0, fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	for _, file := range job.Modules {
		if err := loadModule(file); err != nil {
			return 0, fmt.Errorf("load %s: %w", file, err)
		}
	}
	output, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		return 0, err
	}
	defer output.Close()
	commands := [][]string{{"ip", "link", "set", "lo", "up"}, job.Args}
	for _, argv := range commands {
		// The look-up is done in the job's PATH, not in init's, which is empty.
		os.Clearenv()
		for _, e := range job.Env {
			name, value, _ := strings.Cut(e, "=")
			os.Setenv(name, value)
		}
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = job.Dir, job.Env, output, output
		err := cmd.Run()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			return exit.ExitCode(), nil
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// loadModule loads one kernel module. That it is there already, or built in,
// is no error.
func loadModule(file string) error {
	image, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	options := []byte{0}
	_, _, errno := syscall.Syscall(syscall.SYS_INIT_MODULE,
		uintptr(unsafe.Pointer(&image[0])), uintptr(len(image)), uintptr(unsafe.Pointer(&options[0])))
	if errno != 0 && errno != syscall.EEXIST {
		return errno
	}
	return nil
}
