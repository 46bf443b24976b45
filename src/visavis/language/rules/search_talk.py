"""How people talk while they search, put into the words that the rules know.

They think aloud ("hm, not quite"), insist ("I said no dogs!"), muse ("how about cats") and ask what they want to see
("which of these has a hood?"). What changes nothing about the wish is taken away, the rest becomes a usual wish.
"""

from __future__ import annotations

import re

from visavis.language.rules.amounts import ORDINAL

_PICTURES = r"(?:pictures?|images?|photos?|shots?|ones?|results?)"
_NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten"
_POINTED = rf"(?:the {ORDINAL}(?: one| picture| image| photo)?|#\d+|number (?:\d+|{_NUMBER_WORDS}))"
_GOOD = r"(?:(?:really|very|quite|pretty|rather|so) )*(?:good|nice|great|lovely|promising|perfect|right|close|best)"
_NUMBER = rf"(?:{_NUMBER_WORDS}|\d{{1,2}})"
_COUNTS = {"two": 2, "three": 3, "four": 4, "2": 2, "3": 3, "4": 4}
_DEGREE = r"(?:a bit|a little|a lot|much|way|far|still|just|really|rather)"
#: What a part shall be that is too much of something.
_PUT_RIGHT = {
    "short": "longer", "long": "shorter", "tight": "looser", "loose": "tighter", "big": "smaller", "large": "smaller",
    "small": "larger", "wide": "narrower", "narrow": "wider", "thin": "thicker", "thick": "thinner", "high": "lower",
    "low": "higher", "dark": "lighter", "light": "darker", "bright": "darker", "plain": "patterned", "busy": "plain",
}  # fmt: skip
#: What is added to a picture, not wished for in one.
_ADDED_BY_EDITS = (
    "border|frame|caption|text|title|vignette|blur|sepia|filter|background|watermark|contrast|light|effect|tint"
)
_PAUSE = r"[ ,.;:!?-]+(?=\w)"
#: A pause that is written: "not really red" and "wait staff" have none.
_STOP = r"[,.;:!?-][ ,.;:!?-]*(?=\w)"

#: For a whole message: what comes before the wish, and what joins two.
_MESSAGE: tuple[tuple[str, str], ...] = (
    (rf"^(?:h+m+|m+h*m+|u+h+m*|u+m+|e+r+m*|a+h+|o+h+(?! (?:no|dear)\b)){_PAUSE}", ""),
    (
        r"^(?:(?:no|nope|sorry)[ ,.]+)?(?:(?:that's|it's|this is|that is) )?not (?:quite|really|exactly|there yet)"
        rf"(?: (?:right|it|there|yet|that|what i (?:want(?:ed)?|meant?|had in mind)))*(?:, but|{_STOP})",
        "",
    ),
    (rf"^(?:i(?:'ve| have)? changed my mind|on second thoughts?|come to think of it|wait){_STOP}", ""),
    (r"^i (?:already )?(?:said|told you|meant|mean)[ ,:]+(?=(?:no|not|without|with|only|an?|the|in) )", ""),
    (r"^no,? no[ ,.!]+(?=\w)", ""),
    (
        r"^(?:the |its )?\w+ (?:is|are|looks?) (?:all |totally |just )?(?:wrong|off|not right)[ ,.;!-]+(?:and |but )?"
        r"(?:it|they|that|this) (?:should|must|has to|have to|needs? to|ought to) be ",
        "",
    ),
    (
        r" for (?:an? |my |the |our )?(?:blog(?: post)?|article|presentation|slides?|website|poster|flyer|essay|report|"
        r"newsletter|homepage|talk|book cover) (?:about|on) ",
        " of ",
    ),
    (r"^(?:the )?same (?:vibe|mood|feel|feeling|atmosphere|spirit)(?:,? but|,) ", "something like that but "),
    (r"(?<=\w)(,? without [\w -]+?),? and with (?=\w)", r"\1. with "),
    (r"(?<=\w) then$", ""),
    (r"\b(?:any|some)thing similar (?:that|which) costs? less\b", "something similar but cheaper"),
    (r"^i (?:like|prefer) these(?: ones)?(?: (?:better|more|to .+|than .+))?$", "great"),
    (r",? minus (?:the|an?) (?=[a-z])", " but without "),
    (r"(?<=\w), only (?=\w+er$|(?:more|less|with|in|at|from) )", " but "),
    (r"^what i (?:meant|mean|want|wanted|was looking for|'m looking for) (?:was|is) (?=\w)", ""),
    (rf"^({_POINTED}),? but (?=(?:make|turn|tilt|rotate|crop|flip|mirror|brighten|darken) )", r"take \1. "),
    (
        rf"^({_POINTED}),? but (?=(?:with|without|in|from|at|on|for|more|less|not|no|as|an?|\w+er|\w+ing)\b)",
        r"like \1 but ",
    ),
    (
        rf"^the (\w+) (?:of|from) ({_POINTED}) in the colou?r of ({_POINTED})$",
        r"keep the \1 of \2. keep the colour of \3",
    ),
    (
        r"^(?:mix|blend|combine|merge|cross) (?:numbers? )?#?(\d+) (?:and|with|&) (?:number )?#?(\d+)$",
        r"more like \1 and \2",
    ),
    (r"^(?:mix|blend|combine|merge) the first two(?: ones)?$", "more like 1 and 2"),
    (rf"^(?:i like )?the first two(?: {_PICTURES})?(?: (?:are|look) {_GOOD})?$", "more like 1 and 2"),
    (
        rf"^({_POINTED}) is (?:exactly |just )?(?:what i (?:want|wanted|need|meant)|it|the one)[ ,.;!-]+.*\blike "
        r"(?:it|that|this)[ ?.!]*$",
        r"more like \1",
    ),
    (rf"^i (?:liked?|loved?) ({_POINTED}) (?:the )?(?:most|best)(?: of all)?$", r"more like \1"),
    (rf"^from ({_POINTED}),? but (?=\w)", r"like \1 but "),
    (r"^(?:(?:the )?same|again|do (?:that|it) again)(?:,? but)? without (?:the |any )?filters?$", "forget filters"),
    (
        r"^(?:show me )?(?:what you(?:'ve| have)(?: got)?|everything(?: you have)?|whatever you have)$",
        "surprise me",
    ),
    (rf"(?<=\w) instead of (?:just |only )?{_NUMBER}$", ""),
    (
        rf"^({_POINTED}) (?:looks?|is|seems) {_GOOD}[ ,.;!-]+(?:and |so )?(?:show me |find )?"
        r"(?:more|others?|something)(?: pictures| ones)? like (?:that|this|it)(?: one)?$",
        r"more like \1",
    ),
    (
        rf"^((?:something )?(?:like|similar to) {_POINTED}),? (?:but )?with (the \w+ (?:of|from) .+)$",
        r"\1. keep \2",
    ),
    (
        rf"^(the \w+ (?:of|from) {_POINTED}),? (?:and|with|plus|but) (the \w+ (?:of|from) .+)$",
        r"keep \1. keep \2",
    ),
    *(
        (
            rf"^(?:but )?(?:not|hide|skip|drop|no) the first {word}(?: {_PICTURES})?$",
            ". ".join(f"not number {place}" for place in range(1, count + 1)),
        )
        for word, count in _COUNTS.items()
    ),
)
#: For one clause.
_CLAUSE: tuple[tuple[str, str], ...] = (
    (r"^(?:what|how) about (?=\w)", ""),
    (
        r"^(?:(?:let's|lets|let us) )?(?:try|look at|go (?:with|for)|see some) (?!(?:again|it|that|this|to|harder|"
        r"something|another|the other|on)\b)(?=\w)",
        "",
    ),
    (
        rf"^(?:is|are) there (?:any|one|some|an?|ones)(?: {_PICTURES})? (?:with|that (?:has|have)) ([\w -]+?)"
        r"(?: in (?:it|them))?$",
        r"with \1",
    ),
    (
        rf"^(?:show me |find )?(?:the |only the )?(cheapest|most expensive|newest|oldest) (?:{_NUMBER}|ones?)$",
        r"\1 first",
    ),
    (r"^what(?:'s| is| are) the (cheapest|most expensive|newest|oldest)(?: ones?)?$", r"\1 first"),
    (r"^no ([\w -]+?) (?:visible|showing|in sight|to be seen|anywhere)$", r"no \1"),
    (r"^got (?:any|some)thing (?=\w)", "something "),
    (r"^(?:from )?(\d+) (?:to|-) (\d+) (?:euros?|dollars?|pounds?|bucks)$", r"between \1 and \2"),
    (r"^(?:do you have|have you got) (?:any|some)(?:thing)? (?:with|of|like) ", "find "),
    (rf"^(?:show |keep )?(?:me )?(?:only|just) (?:the )?{_PICTURES} (?:with|that have|showing) ", "with "),
    (
        rf"^(?:drop|remove|hide|leave out|skip|lose|get rid of|take out|exclude) (?:all )?(?:the |those )?{_PICTURES} "
        r"(?:that show|which show|showing|containing|of) (?:an? |any |the )?",
        "no ",
    ),
    (r"^i(?:'d| would) rather (?:see|have) (?:(?:them|it|one|some) )?(?=\w)", ""),
    (r"^what if (?:the |an? )?(\w+) (?:wore|had|was wearing) (?=\w)", r"\1 with "),
    (r"^(?:is there )?any chance (?:of|for|to (?:get|see|have)) (?=\w)", ""),
    (r"^(?:that's |there are |there's |it has )?(?:still )?(?:way |far )?too many (?=\w)", "fewer "),
    (r"^((?:an? |the )?[\w -]+?) would be (?:even )?(?:better|nicer|great|good|nice|perfect|ideal|lovely)$", r"\1"),
    (r"^any (?:brand|colou?r|kind|type|make|shape) (?:but|except|other than|besides) (?=[\w -]+$)", "no "),
    (r"^(?:group|arrange|order|list) (?:them|these|it|the results|everything|all) by ", "sort by "),
    (r"^(?:is|are) (?:this|it|that|these|they) (?:also )?(?:available|possible|sold|offered) (?=(?:in|with|as) )", ""),
    (rf"^delete ({_POINTED})$", r"not \1"),
    (rf"^(?:mark|bookmark|remember|star) ({_POINTED})(?: for (?:me|later))?$", r"\1"),
    (r"^whichever (?:one )?(?:has|have|shows?) (?:the )?", "with "),
    (r"^(?:either|both) (?=(?:an?|the|some) )", ""),
    (r"^(?:only )?(?:real|actual) (?:photos|photographs|pictures)(?: only)?$", "no drawings"),
    (r"^(?!is |has |with )([\w -]+) only$", r"only \1"),
    (
        r"^go back to (?:the )?(?!the )(?=[a-z])(?!(?:round|beginning|start|first|last|previous|original|pictures?|"
        r"search|list|before|when)\b)(?!.*\b(?:turn|step|ones?|results?)\b)",
        "find ",
    ),
    (r"^no ?one (?=\w+ing\b)", "no "),
    (r"^(?:the|those) ([\w -]+?) (?:can|should|must|has to|have to) (?:go|disappear|vanish)$", r"remove the \1"),
    (rf"^in the (style|pattern|mood|look|shape|cut|material) of ({_POINTED})$", r"keep the \1 of \2"),
    (
        rf"^({_POINTED}) (?:is|looks|comes|gets) (?:(?:pretty|very|quite|really) )?(?:close|closest|nearly it|"
        r"almost it|almost right|nearly right)(?: enough)?$",
        r"more like \1",
    ),
    (
        r"^(?:drop|forget|remove|lose|lift|relax|ignore) the (\w+) (?:requirement|condition|filter|restriction|wish|"
        r"criterion|constraint)$",
        r"forget the \1",
    ),
    (r"^(?:more expensive|pricier|a higher price) is (?:fine|ok|okay|alright)(?: too)?$", "forget the price"),
    (r"^(?:you can |we can |i can )?go up to (?=\d)", "at most "),
    (r"^which (?:one |ones |of (?:these|those|them) )?(?:has|have|shows?|comes? with) (?:the )?", "with "),
    (
        r"^(?:with )?(?:nobody|no[ -]?one|not a soul)(?: (?:in|on) (?:it|them|the picture)| there| around)?$",
        "no people",
    ),
    (
        rf"^(?:show |give |bring |get |back to )?(?:me )?(?:back )?(?:the |those )?(?:{_PICTURES} )?(?:from|of|at) "
        r"(?:turn|step|round) (\w+)(?: again| back)?$",
        r"go back to turn \1",
    ),
    (
        r"^(?:pick|choose|take|select) (?:the )?(?:best|top|nearest|closest)(?: one| match| result)?(?: for me)?$",
        "the first one",
    ),
    (r"^(?:taken|shot|photographed) in (?=\d{4}$)", "from "),
)
#: For one clause while no picture is in hand: with one, these are edits.
_AMONG_RESULTS: tuple[tuple[str, str], ...] = (
    (
        r"^keep (?:everything|all)(?: else| the same)?,? (?:but|and|just|only) (?:change|make|turn) (?:the )?colou?r "
        r"(?:to |into )?(\w+)$",
        r"in \1",
    ),
    (
        r"^(?:put|bring|add) (?:the |that |an? )?(?!(?:me|it|us|that|this|them)\b)([\w -]+?) back(?: in| again)?$",
        r"with \1",
    ),
    (rf"^bring back (?:the |an? )(?!{_PICTURES}\b)(?=\w)", "with "),
    (rf"^add (?!.*\b(?:{_ADDED_BY_EDITS})\b)(?:an?|some|the) (?=\w)", "with "),
    (r"^(?:i(?:'d like| want| would like) to see |show me )?more of the (?!same$)(?=\w+$)", "more "),
    (
        r"^(?:the |its )?background (?:should|must|has to|needs to|ought to) be (?:an? )?(?=[\w ]+$)(.+)$",
        r"\1 background",
    ),
    (r"^(?:(?:can|could) we )?lose the (?=\w)", "no "),
    (
        r"^(?:replace|swap|exchange) the (\w+) (\w+) (?:with|by|for) an? (\w+) one$",
        r"a \3 \2 instead of a \1 \2",
    ),
    *(
        (
            rf"^(?:the |its |those |these |his |her )(\w+) (?:is|are|looks?|seems?) (?:{_DEGREE} )?too {wrong}$",
            rf"{right} \1",
        )
        for wrong, right in _PUT_RIGHT.items()
    ),
    (r"^((?:remove|take out|drop|hide) the [\w -]+?) again$", r"\1"),
    (r"^(?:take away|do away with) (?:the |all the |those )(?=\w)", "no "),
)


def _compiled(table: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), usual) for pattern, usual in table)


#: To be read together with the tables in ``rewording``.
MESSAGE, CLAUSE, AMONG_RESULTS = _compiled(_MESSAGE), _compiled(_CLAUSE), _compiled(_AMONG_RESULTS)
