//go:build race

package intricate

// raceDetector says that the race detector is at work. It has pools drop at random what
// they are given, so what is allocated then says nothing of the text.
const raceDetector = true
