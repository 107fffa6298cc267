//go:build !race

package sweep_test

const raceDetector = false
