package offline

import "strings"

// function are English function words: they carry no subject, and their presence
// shows English.
var function = set(`a about above after again against all also am an and any are aren't as at be because been before being below
between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each either else every few for from
further had hadn't has hasn't have haven't having he her here hers him his how however i i'd i'll i'm i've if in into is isn't it it's its
itself just let let's may me might more most must my myself neither no nor not now of off on once only or other our ours out over own per
please same shall she should shouldn't so some such than that that's the their theirs them themselves then there there's these they they're
this those though through to together too under until up upon us very via was wasn't we we'd we'll we're we've were weren't what what's
when where whether which while who whom whose why will with within without won't would wouldn't yes yet you you'd you'll you're you've your
yours okay ok well really actually maybe perhaps probably quite rather already always never ever still even twice again together later
sooner soon early late ahead away back enough same`)

// adverbs may stand before a noun ("offline sync") but never end a noun phrase.
var adverbs = set(`offline online early late remote`)

// vague are words too empty to be what a message is about.
var vague = set(`thing things something anything nothing everything someone anyone everyone somebody anybody everybody nobody way ways stuff lot lots
kind sort bit part parts point points question questions answer answers idea ideas thought thoughts example examples sense reason reasons
fact case cases number numbers amount place time times today tomorrow yesterday now day days week weeks month months year years hour hours
minute minutes second seconds monday tuesday wednesday thursday friday saturday sunday january february march april june july august
september october november december morning afternoon evening night end beginning start moment meantime people person guys team folks one ones
problem problems issue issues matter concern concerns need needs want wants hi hello hey thanks thank sorry lol first last next
course rest side top bottom hand head mind word words opinion view views take discussion topic conversation meeting message thread
good bad great nice better best worse worst big small new old many much several different similar possible sure
think thinks know knows say says said see sees make makes made get gets got go goes going come comes use uses used using like likes look looks
mean means tell tells told ask asks asked want wanted needed keep keeps try tries put puts give gives happen happens happened work works
worked seem seems feel feels help helps let's option options both half everything difference previous instructions instruction`)

// otherTongues are function words of other languages that no English text has twice.
var otherTongues = set(`der das und ist nicht wir ich wie auch für mit ein eine einen den dem des zum zur bei wer kann que los las para por una el
del como pero con está esto le les est une pour avec dans nous vous pas sur qui het een niet voor ook naar il che non sono della alla gli são não
uma mas och att det inte som jag är`)

// folk are words for people.
var folk = set(`customer customers user users client clients partner partners technician technicians developer developers engineer engineers
employee employees colleague colleagues manager managers admin admins member members boss staff visitor visitors reader readers patient patients
student students teacher teachers driver drivers agent agents operator operators analyst analysts designer designers support sales`)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}
