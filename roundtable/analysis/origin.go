package analysis

import (
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Origin is a discussion of a free topic that was turned into an analysis: where it
// stands in the same channel, and what it came to.
type Origin struct {
	Discussion string `json:"discussion"`
	Thread     string `json:"thread"`
	roundtable.Conclusion
}

// linkedOrigins bounds how many discussions the root message leads to.
const linkedOrigins = 5

// join takes a discussion into an analysis that is open, or was: its people are led
// here, and the room is told what they bring along. Who asked for an analysis that
// is under way without bringing anything is led here by whoever they asked.
func (s *step) join(e Opened) {
	if e.Origin == nil {
		return
	}
	if s.a.Place.Thread == "" { // they are led here once there is a thread
		s.a.Origins = append(s.a.Origins, *e.Origin)
		return
	}
	if len(s.a.Origins) < linkedOrigins {
		s.a.Origins = append(s.a.Origins, *e.Origin)
	}
	s.welcome(*e.Origin, true)
	if s.a.State != StateClosed {
		s.tellRoom(thread.Message{Kind: thread.KindNotice, Text: joinedText(e.By, e.Origin.Conclusion), Threads: originLinks([]Origin{*e.Origin})})
	}
}

// welcome leads a discussion's people here.
func (s *step) welcome(o Origin, underWay bool) {
	s.do(Welcome{Key: s.key(), Discussion: o.Discussion, At: s.in.At, Thread: s.a.Place.Thread, UnderWay: underWay})
}

func originLinks(origins []Origin) (links []thread.ThreadLink) {
	for _, o := range origins[:min(len(origins), linkedOrigins)] {
		if o.Thread != "" {
			links = append(links, thread.ThreadLink{Label: "The discussion it goes on from", Thread: o.Thread})
		}
	}
	return links
}
