"""English sentences that mean arithmetic: under each outcome the patterns that come to it, in the signs of `patterns`.

`%` before an outcome: the answer is in percent. `{0:list}` is only the amounts of a part, `{0:labelled}` the same where
each has a name of its own, `{0:word}` what a word stands for. The order matters: what asks for something special (the
tip alone, what is saved) stands before what asks for the usual.
"""

MEANINGS = """
PCT = percent|percentage|percentages|%
WHAT = what|which|how much|how many
BE = is|are|was|would be|does|do|makes|equals|represents
GETS = is|are|was|gets|get|went|goes
MORE = more|larger|bigger|higher|greater
LESS = less|smaller|lower|fewer
UP = increase|increased|increases|rise|rises|rose|risen|raise|raised|raises|grow|grows|grew|grown|growth|gain
    |gained|jump
    |jumped|climb|climbed|climbs|change|changed|went|go|goes|gone|go up|up
DOWN = decrease|decreased|decreases|drop|dropped|drops|fall|falls|fell|fallen|decline|declined|reduce|reduced
    |reduction|cut
    |lost|loss|lose|shrink|shrank|sank|down|lowered|lower|discount|discounted|cheaper
OFF = off|discount|reduction|rebate
SAVES = save|saved|saving|savings|discount worth|amount off
TAX = tip|gratuity|service? (charge|fee)|(sales|value added)? tax|vat|gst|commission|surcharge|deposit
    |down? payment|markup
    |mark-up|interest
PAYS = total|altogether|all|pay|paying|including|final|owe|cost|costs|with|plus
ALL = total|altogether|in all|all together|in total|combined|together|all in all
AN = a|an|the
ASKS = PAUSE (so|and|then|by)* (WHAT|find|calculate|tell|give|work)
    (?!X (left|remain|remains|remaining|more|less|save|difference|than|not)) X
HOWMUCH = PAUSE (how much|what) X|PAUSE (in? total|altogether)
TOGETHER = what (do|does|would) (you|i|we) get (if|when) (you|i|we)?
FURTHER = another|a further|an additional|an extra|further
PER = a|per|each|every
EACH = PAUSE (so|then)* (what|how much|how many) X each X
PEOPLE = people|friends|persons|guests|colleagues|kids|children|students|roommates|flatmates|guys|of us
SPLIT = split|divide|share|distribute
EVENLY = evenly|equally|fairly|up|out|it|this|that
AMONG = EVENLY* (between|among|amongst|across|over|by|into)
MONEY = the|a|an|my|our|this|that|bill|check|cost|costs|amount|price|rent|dinner|lunch|meal|tab|prize|profit
    |winnings|budget
    |restaurant|of|is|was
RATIO = if? W (SPLIT|divided|shared|distributed) W {A} W (in|into|by|using|with|at) AN? ratio of? <A ((:|to) A)*>
ROUNDED = (round off?)? {E} ,? (rounded|round|correct|accurate|off|and)*
PLACES = (decimal|decimals)? (place|places|decimal|decimals|digit|digits|dp|d.p.) ((after|behind) the decimal? point)?
WHOLE = integer|whole number
PLACE = WHOLE|unit|dollar|euro|yuan|cent|penny|tenth|hundredth|thousandth|hundred|thousand|million
TH = st|nd|rd|th
ORDINAL = <second|third|fourth|fifth|sixth|seventh|eighth|ninth>
PART = <A (/ A)?>
COSTS = cost|costs|is|are|weigh|weighs|take|takes
DOES = do|does|are|is|would|will|for
ONE = one|each|a|an|a single
WHEN = when|if|of|from|after|for|on
SUBJECT = value|values|number|numbers|figure|figures|score|scores|price|prices|amount|amounts|one|entry|temperature
    |grade|grades
NOUNS = these|those|my|our|the|all|following|of|is|are|numbers|values|expenses|costs|prices|amounts|scores|grades
    |marks|results
    |temperatures|ages|salaries|bills|figures|payments|measurements|readings|test|exam|sales|weights|heights
    |lengths|data|set
    |list|points|(if|when) (i|we) (got|scored|have|had|spent|paid)
LED = NOUNS*|W :
ITEMS = <G N G N (G N)* G>
ASKING = (what|which|find|calculate|give|tell|get|is|are|was|the|their|me|one|number|value|of|them|these|those|my)*
TOLD = is|are|was|did|do|does|have|in|the|my|our|i|we|that|it|they|spend|spent|pay|paid|cost|costs
ADDS = add up to|come to|make|total|sum to|amount to|cost
"""
"""What the words in capitals stand for. A list of plain numbers is called by one of NOUNS: numbers of anything else may
be those of orders or rooms."""

FUNCTIONS = {
    "sum": "sum|total|grand total|sum total",
    "mean": "arithmetic? (average|mean)|avg",
    "median": "median|middle",
    "mode": "mode|most (common|frequent)",
    "max": "max|maximum|largest|biggest|highest|greatest|most",
    "min": "min|minimum|smallest|lowest|least",
    "spread": "range|spread",
    "product": "product",
    "sample_deviation": "sample (standard deviation|std dev|stdev|std)",
    "deviation": "population? (standard deviation|std dev|stdev|std|sd)",
    "sample_variance": "sample variance",
    "variance": "population? variance",
}
"""What the functions of a list are called: NAMED in the patterns of `OF_A_LIST`."""

SENTENCES = """
round(({0}),{1})
    ROUNDED to {A} PLACES
    ROUNDED (with|using|at) {A} PLACES
round(({1}),{0})
    rounded? to {A} PLACES ,? (what (is|are)|calculate|round|work out)? {E}
significant(({0}),{1})
    ROUNDED to {A} (significant (figure|figures|digit|digits)|sig fig|sig figs|sf)
to_multiple(({0}),{1:word})
    ROUNDED to (the|a)? nearest? <WHOLE>
    ROUNDED to the nearest <PLACE>
to_multiple(({0}),{1})
    ROUNDED to the nearest {N}
ceil({0})
    round {E} up (to the (next|nearest) WHOLE)?
    round up {E} to the (next|nearest) WHOLE
floor({0})
    round {E} down (to the (next|nearest) WHOLE)?
    round down {E} to the (next|nearest) WHOLE

%({1})/({0})
    W (what|which) PCT of {E} BE W {A} (make|be|represent|account for)?
    of {A} ,? (what|which) PCT is {A}
%({0})/({1})
    WHAT? PCT (is|are) {E} out? of {A} W
    {E} BE (equal to)? WHAT a? PCT out? of {A}
    (express|write|give)? {E} (expressed|written|given)? as (a|the)? PCT of {A}
    {E} (out of|of|over|from) {A} (expressed|written)? ,? (as|in|is what|what|to) a? PCT
    how much is {E} out? of {A} (in|as) a? PCT
    if? Y {N} out? of (the|a|all)? {N} Y PAUSE WHAT X PCT X
%(({0})-({1}))/({0})
    (?=X DOWN) W (PCT|relative) of? DOWN W (in W)? (is|,)? from? {A} W to {A} W
    (?=X A X A X DOWN|X DOWN) X from {A} W down? to {A} W PAUSE X PCT X
    (?=X DOWN) X PCT X from {A} W to {A} W
%(({1})-({0}))/({0})
    W (PCT|relative) of? UP W (in W)? (is|,)? from? {A} W to {A} W
    (?=X A X A X UP|X UP) X from {A} W up? to {A} W PAUSE X PCT X
    (?=X UP) X PCT X from {A} W to {A} W
%(({0})-({1}))/({1})
    (by|how)? WHAT? many? PCT MORE is {A} than {A}
    {A} is WHAT PCT MORE than {A}
%(({1})-({0}))/({1})
    (by|how)? WHAT? many? PCT LESS is {A} than {A}
    {A} is WHAT PCT LESS than {A}
%({0})
    (express|write|convert|turn|give|put)? {E} (expressed|written)? (as|in|to|into) a? PCT
({0})/({1})
    {N} (is|are) {P} of (what|which) (number|amount|value|total)?
({1})/({0})
    if? {P} of (what|which|a) (number|amount|value)? (is|are|equals) {N}
        (PAUSE what is (the|that) (number|amount|value))?

({0})*({1})
    (?=X A X A? X SAVES) X {P} OFF (on|of|from)? W {N} W PAUSE X
    X SAVES X {P} OFF (on|of|from)? W {N} W
    X {N} X {P} OFF X PAUSE X SAVES X
    X SAVES X {N} X {P} OFF X
({1})-({0})
    W {P} OFF (on|of|from|off)* W {N} W ASKS?
    (take|knock|deduct|subtract|get) {P} (off|from) of? W {N} W
({0})-({1})
    if? W {N} W ,? (and|but)? (it|with|at|after|minus|less|has|is|are|reduced by|gets|on sale (at|for)?)* AN? {P} OFF
        W ASKS?
    {E} ,? (and|then|plus)* FURTHER {P} OFF W ASKS?
    (what|how much)? (is|remains)? left of {N} after (taking|removing|deducting|subtracting|paying|spending) off? {A}
({0})+({1})
    (?=X PAYS) X {N} W ,? (with|plus|and|including|adding)? AN? {P} W TAX W PAUSE X
    W {N} (come to|comes to|amount to|amounts to)? W ,? (with|plus|including|adding|and) AN? {P} W TAX W
    X {N} X tip {P} PAUSE X (total|altogether|pay) X
({1})+({0})
    (?=X A? X (total|altogether|pay|including|final|owe)) X {P} W TAX (on|for|of|to|added to)? W {N} W PAUSE X
    (add|adding|put) AN? {P} W TAX (to|on) (top of)? W {N} W
({0})*({1})
    W {P} W TAX W (on|for|of|from) W {N} W HOWMUCH?
    W tip {P} on W {N} W HOWMUCH?
    X {N} X PAUSE X {P} W TAX PAUSE (how much|what) (is|would|the|that|to|should|i|be|do)* (TAX|that) (be|leave)?

grown(({0}),{1})
    (increase|raise|bump|bump up|boost|mark up|grow|top up) W {E} by {A}
    if? W {N} W GETS? UP by? {P} W ASKS?
    W {N} W (after|with) AN? {P} (pay|salary|price)? (raise|rise|increase|hike|bonus) W
shrunk(({0}),{1})
    (decrease|reduce|lower|cut|drop|discount|mark down|shrink) W {E} by {A}
    if? W {N} W GETS? DOWN by? {P} W ASKS?
    W {N} W (after|with) AN? {P} (pay|salary|price)? (cut|decrease|drop|loss) W
({1})+({0})
    W {P} (pay|salary|price)? (raise|rise|increase|hike) on W {N} W
    add {E} (to|onto|and|with) AN? {A}
    {A} MORE than {A}
({0})+({1})
    TOGETHER {E} (and|then|,)* add {A} (to (it|that|the result))?
({0})-({1})
    TOGETHER {E} (and|then|,)* subtract {A} (from (it|that|the result))?
({1})-({0})
    (subtract|deduct|take away|take) {E} from {A}
    {A} LESS than {A}
    by? how (much|many) LESS is {A} than {A}
({0})-({1})
    by? how (much|many) MORE is {A} than {A}
    by how much (does|is) {A} (exceed|greater than|more than) {A}
    X {N} W ,? (and|but|,|then)* W (spend|spent|pay|paid|give|gave|use|used|lose|lost|eat|ate|sell|sold) W {N} W PAUSE
        X (left|remain|remains|remaining|change) X

larger_share({0},{1:list})
    RATIO PAUSE X (larger|bigger|greater|largest|biggest|more|most) X
smaller_share({0},{1:list})
    RATIO PAUSE X (smaller|lesser|smallest|least|less) X
shares({0},{1:list})
    RATIO (PAUSE (what|how) X (share|shares|part|parts|portion|portions|each|get|gets|amounts) X)?
({0})/({1})
    if? W SPLIT up? MONEY* {N} W AMONG us? {N} W EACH?
    if? MONEY* {N} W GETS? (split|divided|shared|distributed) AMONG {N} W EACH?
    (split|divide)? W {N} W split? {N} -? (way|ways) W EACH?
    (?!ANY (tip|tax|plus|minus|times|per|percent|off)) X {N} X {N} PEOPLE PAUSE (how much|what) X each X
    divide {E} by {A}
    TOGETHER {E} (and|then|,)* divide (it|that|the result)? by {A}
({1})/({0})
    if? W {N} W (split|share|divide|(are|want|have) to? (splitting|sharing|split|share)) W {N} W
        (EVENLY EVENLY* EACH?|EACH)
    how much (does|do|will|should|would) (each|everyone) X (if|when) {N} W (split|share|divide) W {N} W
    how much (does|do|will|should|would) each of {N} W (if|when) (we|they|you)? (split|share|divide) W {N} W
    (?!ANY (tip|tax|plus|minus|times|per|percent|off)) X {N} PEOPLE X {N} W PAUSE (how much|what) X each X
    how many times (does|do|can|will|would) {N} W (go|goes|fit|fits|divide) into {N} W
    {N} (goes|fits) into {N} how many times
({0}) mod ({1})
    W remainder WHEN? you? (divide|dividing) {E} by {A}
    W remainder WHEN? {E} (is|gets|was)? (divided by|/|over|by|mod) {A}
    divide? {E} divided? by {A} PAUSE and? X remainder (is|be)?
    (what|how much|how many) X left over? X WHEN {E} W (is|are)? divided by {A} W
    (what|how much|how many) X left over? X WHEN W (divide|dividing) {E} by {A} W
({0})*({1})
    multiply {E} (by|and|with|times) {A}
    TOGETHER {E} (and|then|,)* multiply (it|that|the result)? by {A}
    W {N} PER day for {N} (day|days) HOWMUCH?
    W {N} PER week for {N} (week|weeks) HOWMUCH?
    W {N} PER month for {N} (month|months) HOWMUCH?
    W {N} PER year for {N} (year|years) HOWMUCH?
    W {N} (an|per|each|every) hour for {N} (hour|hours) HOWMUCH?
    W {N} PER night for {N} (night|nights) HOWMUCH?
    W {N} W (at|for|costing|priced at|@|that cost|which cost|cost) {N} (each|apiece|a piece|per W|a W) HOWMUCH?
    if? ONE W COSTS {N} W ,? (how much|what) DOES* W {N} W (cost|weigh|take|be)?
    (how much|what) DOES* W {N} W cost? (if|when) ONE W COSTS {N} W
({1})/({0})*({2})
    if? {N} W (cost|costs|weigh) {N} W ,? (how much|what) DOES* W {N} W (cost|weigh|be)?

({0})^({1})
    {E} raised? to the {A} TH? power?
    raise {E} to the (power of?)? {A} TH? power?
({0})^{1:word}
    {E} raised? to the ORDINAL power
({1})^({0})
    the? {A} TH power of {E}
({1})^{0:word}
    the? ORDINAL power of {E}
({0})^2
    square {E}
({0})^3
    cube {E}
root(({1}),{0})
    the? {A} TH root of {E}
root(({1}),{0:word})
    the? ORDINAL root of {E}
log(({1}),{0})
    the? (log|logarithm) (to the)? ,? (base|to base|with base) {A} of {E}
log(({0}),{1})
    the? (log|logarithm) of {E} ,? (to|in|with)? the? base {A}
choices({0},{1})
    {N} choose {N}

series({0},{1})
    W (sum|add|total|adding) up? of? all? the? (whole|natural|positive)? (number|numbers|integer|integers)? (from
        |between) {N}
        (to|and|through|up to) {N}
    W (sum|add|total) up? of? all? the? (whole|natural|positive)? (numbers|integers) {N} (to|through|up to) {N}
    {N} [+] N [+] (N [+])* ([.][.][.]|…) [+]? {N}
sum({0:list})
    (add|sum|total|tally) (up|together)? LED :? {L} (together|up)? (for me)?
    NOUNS* {L} (added (up|together)?|summed up?|totalled up?|ALL)
    (what|how much) DOES {L} W ADDS ALL?
    (what|how much) DOES {L} W ADDS? ALL
product({0:list})
    multiply together? LED :? {L} together?
sum({0:labelled})
    ITEMS PAUSE (what|how much|so|and)* TOLD* (ALL|sum) X
    (what|how much)? (is|was|are|did)? (the|my|our)? (total|sum) (of|for|if|cost|bill|i|we|on|spent|spend|is|was)*
        ITEMS
max({0},{1})
    W (bigger|larger|greater|higher) [,:]? W :? PART ,? or PART
    is? PART or PART W ,? W (bigger|larger|greater|higher)
    (between|of)? PART (and|or) PART ,? (which|what) W (bigger|larger|greater|higher)
min({0},{1})
    W (smaller|lower|less) [,:]? W :? PART ,? or PART
    is? PART or PART W ,? W (smaller|lower|less)
    (between|of)? PART (and|or) PART ,? (which|what) W (smaller|lower|less)
"""

OF_A_LIST = """
NAME({0:labelled})
    ITEMS PAUSE (what|which|so|and)* (is|are|was)? (the|my|our|their)* NAMED SUBJECT?
NAME({0:list})
    W the? NAMED SUBJECT? (of|for|from|among|amongst|in|out of|between|is|are|up|SUBJECT)* LED :? [(]? {L} [)]?
    (of|for|given|from|among|out of|take|with|in)? LED [(]? {L} [)]? PAUSE ASKING (the|their)* NAMED
        (value|number|one|of them|of these|of those|among them)?
"""
