//go:build !race

package intricate

const raceDetector = false
