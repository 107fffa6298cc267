//go:build race

package sweep_test

// raceDetector says that the race detector is at work, which makes a point cost seven times
// as much. It sees the same code at every point, so fewer show it as much.
const raceDetector = true
