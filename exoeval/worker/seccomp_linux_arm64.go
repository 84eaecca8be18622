package worker

var moreCalls []uint32

const moreThreadFlags = 0
