package main

// An utterance is something that a person of the team writes.
type utterance struct{ who, text string }

// A sitting is a step as the team of the walk goes through it.
type sitting struct {
	step string
	// said are the answers in order: each follows the question before it. Where the
	// lead still asks after the last, somebody says "done".
	said []utterance
	// killed is the number of the answer, from 1, after which everything is killed.
	killed int
	// feedback is written at the menu. elaborated begins with how an elaboration is
	// chosen there; the rest is said in it.
	feedback   utterance
	elaborated []utterance
	// killedAtMenu and killedElaborating kill everything there.
	killedAtMenu, killedElaborating bool
	// choice is made last: by the button's kind, or by what is typed.
	choice utterance
}

// The buttons that the walk presses; whatever else stands in a choice is typed.
const (
	pressE, pressC, pressS = "elaborate", "next", "skip"
)

// walked is the analysis of an offline mode for the tills of a shop, by three people.
// One elaboration in each phase, one skip, one override of the depth, and three kills:
// amid a step, at a menu and amid an elaboration (issue 5).
var walked = []sitting{
	{step: "00-01", said: []utterance{
		{priya, "Shop staff go on selling when the network is down: the till keeps every sale and sends it later."},
		{sam, "Refunds and gift cards need the network, so they are not part of it."},
		{lena, "The checkout screen, the till service and the nightly stock sync."},
		{priya, "We did price updates this way in 2024; it took 6 weeks instead of 3 because of clock drift."},
		{sam, "Large, and its complexity is high: card payments would make it bigger still."},
	}, elaborated: []utterance{{lena, "E"}, {lena, "Decision: card payments stay online, and the till says so."}}, choice: utterance{priya, "C"}},
	{step: "00-02", said: []utterance{
		{lena, "We call it offline mode, store-and-forward in the code, and island mode in old tickets."},
		{sam, "Ignore offline in the finance module: there it means batch payments."},
	}, choice: utterance{sam, pressC}},
	{step: "00-03", said: []utterance{
		{sam, "35 to 40 files, tests included."},
		{lena, "It could double if the handheld scanners are in it."},
	}, choice: utterance{lena, "continue"}},

	{step: "01-01", said: []utterance{
		{sam, "Let's keep it short, please."},
		{priya, "Every time the line drops, 40 tills stop and customers walk away; that costs about 9,000 euros an hour."},
		{sam, "Three months from now no shop loses a sale to the network. We count them per week, and Nadia from retail operations decides."},
	}, choice: utterance{priya, pressC}},
	{step: "01-02", killed: 1, said: []utterance{
		{lena, "About 400 cashiers use it, and 40 shop managers; cashiers matter most."},
		{priya, "They want to serve the queue without explaining anything. Today they write sales on paper, which is slow."},
	}, choice: utterance{sam, pressC}},
	{step: "01-03", said: []utterance{
		{priya, "It starts when the line drops: the cashier sees a grey cloud, goes on scanning, takes cash, and is finished when the receipt prints."},
		{sam, "If the till itself fails, it shows an error, and the journal is read back at the next start; nothing is lost."},
	}, feedback: utterance{lena, "The customer must see on the receipt that the sale was made offline."}, choice: utterance{lena, pressC}},
	{step: "01-04", said: []utterance{
		{sam, "The till app, the sync service and the stock database are involved; the payment terminal may not change."},
		{lena, "Fiscal law fixes the receipt numbers, and the scanners run an old system until 2027."},
	}, choice: utterance{priya, "c"}},
	{step: "01-05", said: []utterance{
		{priya, "A sale in 2 seconds, 8 hours without network, and only shop managers may void a sale."},
		{sam, "The worst risk is a sale that is sent twice; unlikely, but then stock and money are wrong."},
	}, choice: utterance{sam, pressC}},
	{step: "01-06", said: []utterance{
		{lena, "The till must keep every sale on its own disk, and must send it once the line is back."},
		{priya, "At most 8 hours or 2,000 sales are kept; for example sale 2,001 is refused with a message."},
		{sam, "It will not take gift cards, and never refunds without network."},
	}, elaborated: []utterance{{lena, pressE}, {sam, "Decision: the manager is warned after 6 hours."}}, choice: utterance{sam, pressC}},
	{step: "01-07", said: []utterance{
		{priya, "As a cashier, I want to finish a sale without network so that the queue keeps moving."},
		{lena, "Given no network, when a sale is finished, then a receipt with an offline mark is printed. As a shop manager, I want to see unsent sales so that nothing is forgotten."},
	}, choice: utterance{priya, pressC}},
	{step: "01-08", said: []utterance{
		{lena, "Keeping and sending sales is a must: without it the shop closes."},
		{sam, "Customers would go elsewhere for another month, so it stays a must."},
		{priya, "The list of unsent sales could come later; gift cards won't be in it."},
	}, choice: utterance{lena, pressC}},

	{step: "02-01", killedAtMenu: true, said: []utterance{
		{sam, "The till app, the sync service and two tables in the stock database change."},
		{priya, "The loyalty service reads our sales events, and finance imports the nightly file. We searched the code for callers."},
	}, choice: utterance{lena, pressC}},
	{step: "02-02", said: []utterance{
		{lena, "In the sale handler of the till app, one layer below the screen, because every sale goes through it."},
		{sam, "The checkout button, the training mode and the nightly repair job call it."},
	}, elaborated: []utterance{{lena, pressE}, {priya, "Alex, what would you test first?"}, {lena, "Decision: the repair job moves to the new handler first."}}, choice: utterance{priya, pressC}},
	{step: "02-03", said: []utterance{
		{priya, "People fear the sync service: it is complex, and last spring it sent 300 sales twice."},
		{lena, "The journal on the disk has no tests and only Tomas knows the format. A flag and a rollback make it safer."},
	}, choice: utterance{sam, pressS}},

	{step: "03-01", killedElaborating: true, said: []utterance{
		{sam, "First it must never lose a sale; speed may be mediocre."},
		{lena, "The plainest is one journal file on the till; it falls short when the disk dies."},
		{priya, "A small server in each shop instead, which is really different."},
		{sam, "The journal costs three weeks to build; the server costs 400 euros a shop and somebody to run it."},
		{priya, "Decision: we choose the journal, because everybody can run it."},
	}, elaborated: []utterance{{sam, pressE}, {lena, "Decision: a second copy of the journal goes to the card in the till."}}, choice: utterance{priya, pressC}},
	{step: "03-02", said: []utterance{
		{lena, "SQLite on the till; the sync service and Postgres we run already."},
		{sam, "SQLite survives a power cut, which our own files do not."},
		{priya, "We turned away a store in the browser: nobody could open it at night."},
		{lena, "Decision: we use SQLite on the till rather than files of our own."},
	}, choice: utterance{sam, pressC}},
	{step: "03-03", said: []utterance{
		{sam, "The till pushes sales to the sync service, which answers with receipt numbers."},
		{priya, "Nobody waits for the answer: a sale may arrive up to 8 hours later."},
		{lena, "At most 200 sales a minute in a shop."},
		{sam, "While the server is away the till queues and tries again every minute."},
	}, choice: utterance{lena, pressC}},
	{step: "03-04", said: []utterance{
		{priya, "It only just meets the 2 seconds on the oldest tills."},
		{sam, "Nothing secures the 8 hours yet but the size of the disk."},
		{lena, "Approved, if the oldest tills are tried first; nothing else is open."},
	}, choice: utterance{priya, pressC}},

	{step: "04-01", said: []utterance{
		{lena, "Three modules: the journal keeps sales, the sender delivers them, the screen shows how it stands."},
		{priya, "The journal alone writes the sales table; nobody else does."},
		{sam, "The screen may call the journal only through its interface, and the sender never calls the screen."},
	}, choice: utterance{sam, pressC}},
	{step: "04-02", said: []utterance{
		{sam, "Append takes a sale in JSON and returns its number."},
		{lena, "Id and total are required, the customer is optional."},
		{priya, "A total of zero is valid, one below zero is not."},
		{sam, "It returns the error 409 when the id is known and 507 when the disk is full; for example appending sale 17 twice gives 409."},
	}, elaborated: []utterance{{lena, pressE}, {priya, "Decision: the caller may repeat a 507 and never a 409."}}, choice: utterance{priya, pressC}},
	{step: "04-03", said: []utterance{
		{priya, "A sale enters at the screen, the journal writes it to disk, and the sender moves it to the server."},
		{lena, "Its states are new, sent and confirmed; it never goes back."},
	}, choice: utterance{lena, pressC}},
	{step: "04-04", said: []utterance{
		{lena, "A sale with a total below zero is refused by the journal with an error, and the cashier is told why."},
		{sam, "If the server fails in the middle the sale stays new; the sender tries again every minute, at most 500 times."},
	}, choice: utterance{sam, pressC}},
	{step: "04-05", said: []utterance{
		{sam, "I had to guess what the screen does when the disk is full."},
		{priya, "Every requirement has a module."},
		{lena, "The contract of the sender is not exact enough."},
		{sam, "The journal is built first, then the sender, and the list last. I approve the rest."},
	}, choice: utterance{lena, "[C]"}},
}

// skipped is the step that nobody went through.
const skipped = "02-04"
