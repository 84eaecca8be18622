package worker

import "golang.org/x/sys/unix"

var moreCalls = []uint32{unix.SYS_EPOLL_WAIT, unix.SYS_TIME}

const moreThreadFlags = unix.CLONE_SETTLS
