"""How people ask, order and change their minds: phrases with gaps for things, colours and places."""

from __future__ import annotations

from visavis.language.english import ORDINALS


def phrases(text: str) -> tuple[str, ...]:
    """The parts of a text between bars."""
    return tuple(text.split("|"))


ALL = phrases(
    "how many {} photos do i have altogether?|how many {} pictures do i have|how many photos of {} do i have?|"
    "how many {} do you have?|how many pictures of {} are there in total|"
    "how many {} are there in the collection?|how many {} are there altogether|how many {} do you sell?|"
    "how many different {} do you have|number of {} overall?|in total, how many {} do we have|"
    "how many {} have i got in here|count all the {}|how many {} photos are there in my collection|"
    "how many images show {}?|roughly how many {} do you have in stock?"
)
OF_RESULTS = phrases(
    "how many of those are {}?|how many of these are {}|how many of them have {}?|how many of those show {}|"
    "how many of them are {}?|how many with {}?|how many of the results have {}|how many {} ones are there?"
)
LEFT = phrases(
    "how many is that?|how many are that|how many are left?|how many did you find|how many are there?|"
    "how many results is that|how many does that leave|so how many in all?|how many pictures is that now"
)
IN_IT = phrases(
    "how many {} are in it?|how many {} can you see in this one|how many {} are in this picture?|"
    "how many {} are there in it|how many {} does it show|are there any {} in it?|is there {} in the picture|"
    "can you see {} in this photo?|does it have {}?|does this one show {}|what are the {} doing?|"
    "what colour are the {}?|where are the {}"
)
WHICH = phrases(
    "which of them have {}?|which of these have {}|which of those show {}?|which ones have {}?|"
    "which of them have {} with them?|which ones have {} in them|which of these pictures show {}?|"
    "do any of them have {}?|do any of these show {}|is there one with {} among them?|which have {}|"
    "show me which of them have {}|are there any with {} among these?|which of the results have {} in it?|"
    "any of those with {}?|which of them come with {}?|who of them has {}"
)
WHICH_VALUE = phrases(
    "which of them are {}?|which of these are {}|which ones are {}?|are any of them {}?|are any of those {}|"
    "is any of these {}?|do any of them come in {}?|do you have it in {}?|do you have them in {}|"
    "which come in {}?|more like the {} one|more of the {} one|the {} one looks nice, show me more like it|"
    "i like the {} one, more like that|the {} one is nice, more of those please|what about the {} ones|"
    "can i see the {} ones"
)
NEWEST = phrases(
    "newest first|show me the newest ones first|newest on top|latest first|the most recent ones first|"
    "sort by date|most recent first please|put the newest at the top|order them by date, newest first|"
    "start with the latest|can you sort them by date|latest ones first please|new ones first|sort by newest|"
    "by date please"
)
OLDEST = phrases(
    "oldest first|show me the oldest ones first|oldest on top|sort them from old to new|earliest first|"
    "the oldest at the top please|order by date, oldest first|begin with the oldest|in chronological order"
)
CHEAPEST = phrases(
    "cheapest first|cheapest on top|sort by price|lowest price first|show me the cheapest ones first|"
    "which one is cheaper?|which is the cheapest?|sort from cheap to expensive|price low to high|"
    "order by price please|put the cheap ones first|what's the cheapest one|which of these is the cheapest?|"
    "start with the cheapest"
)
DEAREST = phrases(
    "most expensive first|dearest first|highest price first|price high to low|show the most expensive ones first|"
    "which is the most expensive?|the priciest at the top|sort by price, expensive first|"
    "which one costs the most?"
)
BEST = phrases("best rated first|sort by rating|highest rating first|top rated on top|by rating please")
DATES, PRICES, RATINGS = ("taken", "year", "date", "listed"), ("price", "rent", "fee", "cost"), ("rating", "stars")
TURNED = phrases(
    "forget the {old}, {new}|forget the {old}, show me {new}|forget about the {old}, {new} please|"
    "never mind the {old}, {new}|enough {old}, {new} now|enough of the {old}. {new}|no more {old}, show me {new}|"
    "ok forget {old}. i want {new}|not {old} any more, {new}|drop the {old}, find {new}|"
    "i'm done with {old}, {new} please|forget the {old}, i need {new}|scrap the {old}, let's do {new}|"
    "instead of {old} show me {new}|show me {new} instead of the {old}|i'd rather have {new}|"
    "i'll take something else: {new}|something else now: {new}|ok, different idea, {new}"
)
SWAPPED = phrases(
    "{new} instead of {old}|{new}, not {old}|swap {old} for {new}|exchange the {old} for {new}|rather {new} than {old}|"
    "trade the {old} for {new}|i'd prefer {new} to {old}|{new} rather than {old}|not {old} but {new}"
)
TAKEN = phrases(
    "{n}|{n}!|ooh {n}|{n} then|{n} it is|ok {n}|{n} please|number {n} is spot on|the {nth} one is spot on|"
    "the {nth} is perfect|i'll take the {nth}|the {nth} one please|that's it, number {n}|go with {n}|definitely {n}|"
    "the {nth} one is exactly right|bigger version of the {nth}|let me see the {nth} larger|{n} is the one"
)
FREED = phrases(
    "any {} is fine|any {} will do|the {} doesn't matter|{} does not matter|i don't care about the {}|whatever {}|"
    "never mind the {}|{} is not important|forget the {}|drop the {} filter|the {} thing can go|ok any {} then|"
    "that's too few, any {} is ok|hm only two, the {} doesn't matter|all {}s are fine|no {} limit anymore"
)
CORRECTED = phrases(
    "{old}... no, {new}|{old}, no wait, {new}|{old}? or no, {new}|{old}, i mean {new}|{old}, sorry, {new}|"
    "{old} - scratch that, {new}|show me {old}, no, {new}|find {old}, actually {new}|{old} err {new}|"
    "pictures of {old}, i meant {new}|{old}, actually no, {new}|looking for {old}. wait, no: {new}"
)
DROPPED = phrases(
    "forget the {old}, {new}|forget about the {old}, make it {new}|never mind the {old}, {new} instead|"
    "drop {old}, {new}|forget {old}, rather {new}|scrap the {old}, it should be {new}"
)
WISHES = phrases(
    "at night|in the snow|in the rain|red|blue|black and white|from above|on the beach|outdoors|indoors|smiling|"
    "old|close up|blurred background|sunny|colourful|minimalist|vintage|wooden|white|foggy|with people|at sunset"
)
TOGETHER = phrases(
    "together with other animals|on the beach|in the snow|with a hat|at night|next to a car|in a field|"
    "with flowers|for the garden|in a kitchen|with a dog|under a tree|by the sea|with pockets|made of wood|"
    "on a table"
)
FOR = phrases(
    "my dad|my mum|my mother|my father|my sister|my brother|a friend|my wife|my husband|my boss|my granny|"
    "my nephew|a colleague|my son|my daughter|my girlfriend|my boyfriend|my best friend|a teenager|my aunt|"
    "my teacher|grandpa"
)
GIFTS = phrases(
    "a present for {who}, maybe {x}|a gift for {who}, {x} perhaps|something for {who}, maybe {x}|"
    "birthday present for {who}: {x}|i need a gift for {who}, i was thinking of {x}|"
    "looking for a present for {who}, {x} or so|{x} for {who}|it's {who}'s birthday, maybe {x}?|"
    "i want to surprise {who} with {x}|need {x} for {who}|{x}, it's for {who}|shopping for {who}, {x} i guess|"
    "christmas gift for {who}, {x} would be nice|a little something for {who}... {x}?"
)
AUDIENCES = {
    "Men": ("men's {}", "mens {}", "{} for men", "male {}", "gents {}", "{}, men's", "{} for him"),
    "Women": ("women's {}", "womens {}", "{} for women", "ladies {}", "ladies' {}", "{} for ladies", "female {}"),
    "Boys": ("boys' {}", "boys {}", "{} for boys"),
    "Girls": ("girls' {}", "girls {}", "{} for girls"),
    "Kids": ("kids' {}", "{} for kids", "children's {}", "kids {}"),
}
AUDIENCE_ALONE = {
    "Men": ("for men", "men's", "only men's", "mens please", "men's ones", "for men only", "the men's ones"),
    "Women": ("for women", "women's", "ladies only", "women's please", "only for women", "for ladies"),
    "Boys": ("for boys", "boys' ones"),
    "Girls": ("for girls", "girls' only"),
    "Kids": ("for kids", "kids' sizes", "for children"),
}
AUDIENCE_NAMES = ("gender", "gender", "gender", "department", "for", "sex", "Gender")
PAINTING = phrases(
    "make the {thing} {colour}|make the {thing} {colour}|paint the {thing} {colour}|colour the {thing} {colour}|"
    "turn the {thing} {colour}|dye the {thing} {colour}|recolour the {thing} {colour}|"
    "now make the {thing} {colour}|can you make the {thing} {colour}?|the {thing} should be {colour}|"
    "change the {thing} to {colour}|give the {thing} a {colour} colour|make the {thing} {colour} please|"
    "could the {thing} be {colour}"
)
PAINTING_ONE = phrases(
    "make the {nth} {thing} {colour}|make the {thing} in the {nth} one {colour}|paint the {nth} {thing} {colour}|"
    "make the {thing} of the {nth} picture {colour}|colour the {thing} in number {n} {colour}|"
    "make the {nth} one {colour}"
)
TINTED_WISH = phrases("make it {}|in {}|in {} please|can i have it in {}|make them {}|i want it in {}|{} ones|{}")
THANKS = phrases(
    "thanks|thank you|ok thanks|thanks!|great, thanks|ok never mind, thanks|never mind, thank you|"
    "that's all, thanks|thanks a lot|perfect, thank you|thx|cheers|thanks, that was it|many thanks|"
    "alright thanks|thank you so much|thanks for the help|ok, thank you very much|ta|super, thank you|"
    "thanks, i'm good"
)
PRAISE = phrases("wow, great|lovely|nice work|that's perfect|very nice|awesome|you're good at this|impressive|love it")
BYE = phrases("bye|goodbye|see you|that's it, bye|i'm off, bye|bye bye|ciao|ok bye then|talk later|good night")
HELLO = phrases("hi|hello|hey there|good morning|hi again|hello?|hey")
STOCK = phrases(
    "do you sell {}?|do you have {}?|have you got {}?|do you stock {}|do you carry {}?|got any {}?|"
    "do you have any {}|are there {} too?|do i have anything with {}?|do i have photos of {}|"
    "is there anything with {} in the shop?|do you also sell {}?|any {} in the collection?|"
    "i'm also looking for {}|could you show me {}?|have you any {}"
)
ALIKE = phrases(
    "{x} in the colour of {p}|{x} in the same colour as {p}|i'd rather have {x}, in the colour of {p}|"
    "{x} with the {a} of {p}|a {a} like {p} but {x}|find {x} with the same {a} as {p}|"
    "show me {x} in the {a} of {p}|{x}, but the {a} of {p}"
)
ASPECTS = ("colour", "colour", "pattern", "style", "shape", "material", "background", "mood")
LACKING = phrases(
    "something without {no}, {yes}|something with no {no}, {yes}|without {no}, {yes}|no {no}, {yes}|"
    "nothing with {no}, {yes}|no {no} and {yes} please|something {yes}, without {no}|{yes}, without {no}|"
    "{yes} and no {no}|{yes} but no {no}"
)
QUESTIONS = phrases(
    "what other {} are|is there a {}|what colour is the {}|what is the {} made of|how many {} are|"
    "where is the {}|what kind of {} is|who is holding the {}|is the {} real|how big is the {}|"
    "what does the {} say|is that a {}|are there any {}|what is next to the {}"
)
POINTED = phrases("in number {n}|in the {nth} picture|in the {nth} one|in the {nth} photo|in #{n}|in picture {n}")
DIFFERENCE = phrases(
    "what's the difference between {a} and {b}?|how do {a} and {b} differ?|compare {a} and {b}|"
    "{a} or {b}, compare them|show me {a} and {b} side by side|what is different about {a} and {b}|"
    "how does {a} compare to {b}?|{a} vs {b}|put {a} next to {b}"
)
DIFFERENCE_THIS = phrases(
    "compare it with {b}|how does this one differ from {b}?|what's the difference between this and {b}|"
    "compare this to {b}|this one next to {b}|put it beside {b} to compare"
)
NTH = {number: word for word, number in ORDINALS.items()}
