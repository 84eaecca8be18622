package worker

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

var moreCalls = []uint32{unix.SYS_EPOLL_WAIT, unix.SYS_TIME}

const moreThreadFlags = unix.CLONE_SETTLS
