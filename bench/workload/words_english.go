package workload

// The parts of English prose, separated by bars. They fit together in any
// combination.
const (
	englishOpenings = "In early spring|By the end of the week|After the first review|On most days|Before the doors opened|For the same reason|In the second month" +
		"|When the weather turned|With a little help from the neighbours|As the record shows|Once the list was complete|During the quiet hours|At the request of two visitors" +
		"|Without any change of plan|Late in the afternoon|Because the road was long|Under the new schedule|On the following Monday|In a dry year|Rather than wait" +
		"|From the beginning|As a matter of habit|While the others rested|To save some time|Near the end of the season|After a short trial|Against all expectations" +
		"|In the absence of a better method|Twice a month|Since the old form was dropped|By careful comparison|If the light was good"

	englishResults = "which saved about an hour each day|and wrote the reason in the margin|so that nobody had to ask twice|although the cause was not yet clear|and the cost fell as well" +
		"|which made the next step easier|but left one question open|and kept a copy for the following year|so the two lists agreed at last|which surprised even the older members" +
		"|and nothing had to be thrown away|while the rest of the work went on|as the drawing on the wall explains|and the result has held ever since|which is why the table has two columns" +
		"|though a few details remained in doubt|and the number of mistakes went down|because a rough figure was good enough|and everyone could read the labels|which took less room than before" +
		"|so later visitors could follow the order|and the spare parts went back to the shelf|but only after a second look|which the summary mentions in one line|and two other towns did the same" +
		"|as had been agreed in the autumn|until the supply ran out|and the difference was small|which was the point of the exercise|so the old notes stayed where they were"

	englishMeasures = "It took # days in all.|About # people came.|The list had # entries.|Each visit lasted some # minutes.|That was # more than the year before.|The share rose to # percent."
)

// Each topic is two lines: who, and what they did.
const englishTopics = `the reading room|the night clerk|two of the librarians|the travelling book van|the catalogue group|a retired teacher
sorted the returned atlases by region|counted the loans of each shelf|repaired the spines of several dictionaries|moved the newspapers closer to the window|wrote short notes on every map|lent the large print books to the village|checked three hundred cards against the shelves|opened the side entrance for the evening
the river station|the survey boat|both of the wardens|the lock keeper|a team from the valley|the gauge house
wrote down the level every six hours|compared the flow above and below the bridge|cleared the branches from the gate|replaced a worn staff gauge|took water from twelve places|drew the new sandbank on the chart|set the meter back to zero|marked the height of the last flood
the signal box|the track crew|the station master|an apprentice guard|the goods office|the timetable group
moved two slow trains to a later hour|checked every sleeper near the crossing|painted the edge of the platform|noted the cause of each stop|measured the curve behind the mill|gave each spare key a number|put a second clock in the waiting room|kept the old diagrams in a dry cupboard
the nursery|the head gardener|the seed store|a group of students|the hill orchard|the greenhouse staff
gave the young trees new soil|kept a diary of the first flowers|cut back a third of the branches|built a light roof on the west side|tried oats from the high country|turned the leaves into three heaps|put fresh labels on all the beds|watered less in the afternoon
the bakery|the miller|the early shift|a young baker|the delivery boy|the shop next door
let the dough rest for another half hour|tried flour from the stone mill|wrote the heat of each oven on a card|changed to a flatter tray|used a little less salt|cleaned the flue for the first time in years|kept some rye bread for old customers|had the first loaves ready before dawn
the joiner|the wood shop|the repair group|two draughtsmen|the finishing room|an old cabinet maker
chose boards with a straight grain|sharpened every plane in the rack|made a copy of the old chair|measured how damp the timber was|bound the loose drawings into a book|tested three kinds of oil|mended the hinges of the cupboard|wrote the size beside each joint
the harbour office|the pilot|the tide room|the buoy crew|the warehouse|a crane driver
checked the draught of each ship|tied up the northern buoy again|printed the tide table for the next month|counted the ropes in the store|measured the shallow part of the channel|put the hidden rocks on the chart|wrote down how long the fog lasted|changed the lens of the small light
the weather station|the observer on the hill|the balloon team|a volunteer in the valley|the records office|the night watch
sent up the second balloon of the day|copied thirty years of snow records|compared the sunny and the shaded side|oiled the axle of the wind gauge|filled in the hours without power|guessed the height of the clouds|hung a new thermometer in the screen|noted the first frost of the year
the observatory|the star group|the plate maker|some amateurs|the dome crew|the time room
took six pictures of the comet|measured how bright the star had become|cleaned the main mirror|added notes to the old catalogue|worked out the hour of the next transit|rebuilt the drive of the mount|left out the nights with a full moon|wrote a guide for visiting classes
the village school|the science teacher|the older pupils|the parents|a new club|the school garden
held the lesson at the edge of the field|measured the length of shadows|bought twenty used microscopes|wrote a reader for the younger class|changed the order of music and sport|collected the diaries of ten years|hung the drawings in the corridor|walked along the river with a map
the county archive|the paper restorer|two copyists|the index group|a visiting scholar|the lower vault
dried the damp ledgers page by page|gave every box a new number|read several faded dates|copied all of the old maps|replaced the boxes that did not fit|found the missing second volume|compared the copy with the original|listed the spellings of each place
the town museum|the guides|the pottery group|the night guard|the teaching room|a visiting curator
moved the clocks to the upper floor|wrote shorter labels for the glass cases|joined nine pieces of a broken jar|measured the light in each case|timed how long visitors stayed|planned a route for children|lent two prints to the next town|kept the doors open on Wednesday evening`
