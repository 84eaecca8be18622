package worker

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

var moreCalls []uint32

const moreThreadFlags = 0
