"""Unusual ways to say usual things, put into the words that the rules know.

A rule reads a kind of request; this table reads the many ways in which people begin and end one. A way of saying
something that changes nothing about what is asked belongs here, not into a rule.
"""

from __future__ import annotations

import re

from visavis.language.lexicon import colours
from visavis.language.rules import search_talk
from visavis.language.rules.amounts import ORDINAL
from visavis.language.rules.photo_talk import reword_photo_talk

_COLOURS = "|".join(sorted(colours(), key=len, reverse=True))
_PICTURE = r"(?:pictures?|images?|photos?|shots?)"
_GOOD = r"(?:good|nice|great|lovely|beautiful|perfect|promising|cool|fine|right|the best|spot on)"
_BAD = r"(?:awful|ugly|bad|terrible|horrible|wrong|hideous|not good|no good)"
_VERY = r"(?:really |very |quite |so |just |rather |pretty )*"
_MORE = r"(?P<how>more \w+|less \w+|(?!under|over|after|other|never|ever)\w+er)"
_A_BIT = r"(?:a bit |a little |a lot |a tad |much |slightly |way )?"
_HIDE = r"(?:get rid of|remove|hide|leave out|drop|omit|exclude|skip|take out)"

#: What is searched for itself: "the dress should be striped" says nothing of a part of it.
_SUBJECT = r"(?:dress|shirt|person|thing|top|shoes?|bag|colou?rs?|background|one)"
#: What does not say how a thing looks: "the dog should be there".
_PLACED = r"(?:in|on|at|there|here|gone|away|removed|left|right|under|near|visible|less|more|over|below|between|able)\b"

_OPPOSITE_SIDES = (("left", "right"), ("right", "left"), ("top", "bottom"), ("bottom", "top"))
_CUT = r"(?:crop|cut|trim|chop|slice|lop|shave|take|remove)"
_SHARES_LEFT = (
    ("half", "half"), ("third", "two thirds"), ("quarter", "three quarters"), ("two thirds", "third"),
    ("three quarters", "quarter"),
)  # fmt: skip
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()

Table = tuple[tuple[re.Pattern[str], str], ...]


def _table(*rows: tuple[str, str]) -> Table:
    return tuple((re.compile(pattern), usual) for pattern, usual in rows)


#: For a whole message, before it is taken apart.
_MESSAGE = _table(
    (r"[ .!?,]*\s\*[a-z']+\*?$", ""),  # "... *can": a slip that the writer put right
    (r"\b(?:an|ca|cn|acn|cab) you (?=[a-z])", "can you "),
    (r"\bw/o ?(?=\w)", "without "),
    (r"\bw/ ?(?=\w)", "with "),
    (r"(?<=\d) (?:n|&) (?=#?\d)", " and "),
    (r"\b(?:looking|look|searching|search) 4 ", "looking for "),
    (r"\b(?:make |keep |leave |have )?(?:only |just )?(?P<thing>the \w+(?: \w+)?) (?:in |stay |stays )?colou?r(?:ed|"
     r"ful)?,?"
     r" (?:and |but )?(?:make |turn )?(?:the |everything )?(?:rest|else)(?: in| is)? (?:black and white|grayscale|"
     r"gr[ae]y)$",
     r"make everything but \g<thing> black and white"),
    (r"\bprefered\b", "preferred"),
    (r"^surprise me with (?=\w)", "find "),
    (r"(?<=\w) (?:please|thanks) (?=(?:and|but) )", " "),
    (r",? but not (?:like )?(?=#\d|number \d)", ". less like "),
    (rf"\b(?:go|step|move) back (\d|{'|'.join(_NUMBERS)}) (turns?|searches)\b", r"\1 \2 back"),
    (r"\b(?:su?mthing|somthing|sth|smth)\b", "something"),
    (r",? (?:and |then )?sorted by ", ". sort by "),
    (r"\bfrom (\d{4}) (?:on|onwards?|upwards?|and later|or later)\b", r"since \1"),
    (r"\b(brightness|contrast|saturation|warmth|sharpness) by half\b", r"\1 by 50 percent"),
    (r", (\w+) only$", r". only \1"),
    (r",? but not (?:from|by) (?=\w+$)", ", without "),
    (r"^no,? (?:that|this|it)(?:'s| is) (?:all )?(?:wrong|not (?:it|right|what i (?:want|meant)))[ ,.!]+(?=\w)", ""),
    (r"^(?:oops|whoops|ups|argh|damn|oh no|oh dear)[ ,.!]+(?=\w)", ""),
    (r"^cheers\b(?=[ ,.!]|$)", "thanks"),
    (r"^(?:ok(?:ay)?,? )?now (?:some|an?|the) (?=\w+$)", "now find "),
    *((rf"\bnumber {word}\b", f"number {value}") for value, word in enumerate(_NUMBERS, start=1)),
    (r", not (?=(?:in|out)doors\b|outside\b|inside\b|at night\b)", ", without "),
    (r", (?:preferably|ideally) (?=\w)", ". "),
    (r"(?<=\w),? (?:but |and )?nothing (?:with|containing|that has) ", ", without "),
    (r"^(?:perfect|great|yes|super|wow|nice|good)?[ ,.!]*(?:that|this)(?:'s| is) (?:exactly |just |precisely )?"
     r"(?:the one|it|the one i (?:meant|wanted|want)|the right one|what i (?:meant|wanted|want))[ .!]*$", "perfect"),
)  # fmt: skip
#: For one clause, without "please" and the like around it.
_CLAUSE = _table(
    # searching
    (r"^what (?:else )?(?:have you got|do you have|'ve you got) (?:with|of|in|about|on|for) "
     r"(?!mind\b|store\b)", "find "),
    (r"^which (?:one |of (?:these|those|them) )?(?:is|are) (?:the )?"
     r"(cheapest|most expensive|dearest|newest|oldest|biggest|largest|smallest)(?: one)?$", r"\1 first"),
    (r"^(?:do|would) you (?:happen to |perhaps |maybe )have (?=an? |any |some )", "find "),
    (r"^(?:i'm )?looking to (?:find|see|get) ", "find "),
    (rf"^where(?:'s| is| are) (?:the|that|my|those) {_PICTURE} (?:with|of|showing) ", "find "),
    (rf"^there (?:was|were) (?:an?|some|this|that) {_PICTURE} (?:of|with|showing) ", "find "),
    (r"^((?:show me|bring up|pull up|find|get me|give me)) all (?:of )?(?:the )?(?=\w)", r"\1 "),
    (r"^((?:show|give|get|find) .+) to look at$", r"\1"),
    (r"^(?:any|some)thing with ((?:an? |the |some )?[\w -]+?) (?:in|on) (?:it|them)$", r"something with \1"),
    # wishes
    (r"^((?:i )?(?:don't (?:want|need|like)|no|not|without)(?: any)? [\w -]+?) (?:on|in) (?:it|them)$", r"\1"),
    (r"^(?:i'd )?(?:like|prefer|want) it (?:better |more )?(?=in \w)", ""),
    (
        rf"^(?:could|can|should) (?:the |its )?(?P<part>(?!it\b|this\b|that\b|they\b)\w+) be {_A_BIT}{_MORE}$",
        r"\g<how> \g<part>",
    ),
    (
        rf"^(?:the |its )(?P<part>\w+) (?:should|must|could|needs? to|has to|have to|ought to) be {_A_BIT}{_MORE}$",
        r"\g<how> \g<part>",
    ),
    (
        rf"^(?:the |his |her |their )(?P<part>(?!{_PICTURE}\b|{_SUBJECT}\b)[a-z][\w ]{{1,30}}?) (?:should|must|"
        rf"needs? to|has to|have to|ought to) be (?P<how>(?!{_PLACED})[a-z-]+)$",
        r"\g<how> \g<part>",
    ),
    (r"^(?:please )?make sure (?:that )?(?:there(?:'s| is| are)|it has|it's|it is|they (?:have|are)|to have) ", ""),
    (r"^(?:it|they) (?:should|must|needs? to|has to|have to|ought to) have ", ""),
    (r"^(?:every|any)thing (?:except|besides|apart from|other than) (?:for )?(?=[\w -]+$)", "no "),
    (rf"^{_HIDE} (?:the |an? |all )?([\w -]+?) (?:from|in) (?:the|this|that|all) (?:{_PICTURE}|results)$", r"no \1"),
    (r"^(?:a tad|a touch|a smidge|way|far|somewhat|a good bit) (?=(?:more|less) \w|\w+er\b)", ""),
    (r"^not (?:that|so|quite so|as) much (?=\w+$)", "less "),
    (r"^(?:no|not) more than (?=\w+ (?!euros?\b|dollars?\b|pounds?\b|bucks\b)[a-z]+$)", "at most "),
    (r"^(?:remove|clear|drop|delete|forget|reset|undo|switch off|take off) (?:all |the |all the |my |every )?"
     r"(?:filters?|conditions|restrictions)$", "forget filters"),
    (r"^not (?:that|so|quite so|as|all that) (?=(?!bad|good|one|sure|much|strong)\w+$)", "less "),
    (r"^([\w -]+?) (?:is|are|would be) (?:fine|ok|okay|alright|welcome) (?:too|as well|also)$", r"\1"),
    (r"^(?:show(?: me)? |give me |find |make it |change to |rather )?(?:the )?(women|men|boys|girls|kids)'s?"
     r"(?: (?:ones|things|versions?|stuff))?(?: instead)$", r"for \1"),
    (r"^plus (?=an? |some |the )", "with "),
    (rf"^{_HIDE} (?:all |everything |anything )?(?:the )?(?:ones? |{_PICTURE} |results )?(?:with|that have|which have)"
     r" (?:an? |any |the )?", "no "),
    (rf"^{_HIDE} (?:all )?(?:the )?([\w-]+) (?:ones|{_PICTURE}|results)$", r"no \1"),
    (r"^any(?:one)? (?:except|besides|apart from|other than) (?:for )?(?=[\w -]+$)", "no "),
    # edits
    *((rf"^(?:{_CUT} (?:out |off |away )?(?:of )?the {gone} {share}(?: (?:off|away|out))?"
       rf"|{_CUT} (?:a |one )?{share} (?:off|from|of|away from) (?:the )?{gone}(?: side)?"
       rf"|(?:remove|lose|drop|delete|get rid of) the {gone} {share})$", f"crop to the {kept} {rest}")
      for gone, kept in _OPPOSITE_SIDES for share, rest in _SHARES_LEFT),
    *((rf"^(?:{_CUT}|get rid of|lose|drop|delete) (?:out |off |away )?the {gone} (?P<share>[1-9]\d?) percent"
       r"(?: off| away| of (?:it|the picture))?$", f"crop off the {gone} \\g<share>") for gone, _ in _OPPOSITE_SIDES),
    (r"^(?:crop|cut|trim) (?:out|off|away) (?=the (?:top|bottom|left|right|upper|lower)\b(?! \d))", "crop some off "),
    (r"^(?:crop|trim|chop) (?:out|off|away) (?!the \w+ \d)(?=(?:the|that|this|his|her|those|all) )", "crop away "),
    (r"^(?:crop|trim) ((?:the|that|this|his|her|those) [\w' -]+) (?:away|off)$", r"crop away \1"),
    (rf"^(?:put|place|set|lay) (?:it|this|that|them) (?:on|onto|against|in front of) (?:an? |plain |pure )*"
     rf"({_COLOURS})$",
     r"put it on a \1 background"),
    (r"^crop (the .+) out$", r"cutout \1"),
    (r"^zoom(?: in)?(?: on| to| into| onto) (?=the (?!first|second|third|fourth|fifth|last|left one|right one)\w)",
     "crop to "),
    (r"^crop (?:to )?(?:the )?(top|bottom|left|right|upper|lower) (half|third|part|corner|left|right)\b",
     r"crop to the \1 \2"),
    (rf"^make (?:it|this|that|(?:the|this) {_PICTURE}) look (?:more )?(?:vintage|retro|antique|old(?:[ -]fashioned)?)$",
     "make it sepia"),
    # steps and looking around
    (r"^(?:give|show|find|get)(?: me)? something else$|^something else(?: please)?$", "show more"),
    (r"^(?:show me )?the (?:ones|results|pictures|images) (?:from|at|of) the (?:very )?(?:beginning|start)$",
     "go back to turn 1"),
    (r"^page (?:2|two)$", "show more"),
    (r"^(?:the )?previous(?: page| results)?$", "go back"),
    (r"^(?:step|go|move) back twice$", "undo the last two steps"),
    (r"^(?:new|another|different|next) (?:topic|subject)$", "start over"),
    (r"^(?:keep going|go on|carry on|continue|keep them coming)$", "show more"),
    # pointing
    (rf"^(?:hide|drop|remove|skip|discard|lose|get rid of|throw out) "
     rf"(the {ORDINAL}(?: one| {_PICTURE})?|#\d+|number \d+)$", r"not \1"),
    (r"^don't show (?:me )?(?:this|that)(?: one)?(?: again| any ?more)?$", "not this one"),
    (r"^(?:this|that)(?: one)? but (?=\w)", "like this one but "),
    (rf"^(?:number |no\.? ?|#)(\w+) (?:looks?|is|seems) {_VERY}{_GOOD}$", r"i like number \1"),
    (rf"^(?:number |no\.? ?|#)(\w+) (?:looks?|is|seems) {_VERY}{_BAD}$", r"not number \1"),
    (rf"^the (\w+) one (?=in (?:{_COLOURS})$)", r"like the \1 one but "),
    (r"^#(\d+) (?:but )?(?=(?:without|with|in) \w)", r"like #\1 but "),
    # conditions
    (r"^(?:i|we) (?:can|could|want to|will|would)(?: only)? (?:spend|pay|afford)(?: only)? "
     r"(?:up to |at most |max(?:imum)? |no more than )?(\d+)(?: (?:euros?|dollars?|pounds?|bucks))?"
     r"(?: at most| max(?:imum)?| tops)?$", r"at most \1"),
    (r"^(?:it|they|that) (?:has to|have to|should|must|needs? to) (?:cost|be) "
     r"(?=less|under|below|more|at (?:most|least)|between|over)", ""),
    (r"^(?:just|only) (women|men|boys|girls|kids)(?:'s?)? (?:things|stuff|clothes|clothing|items|ones|wear)$",
     r"only \1"),
    (r"^no (?:budget|price) (?:limit|cap|restrictions?)(?: any ?more)?$|^price is no object$", "forget the price"),
    (r"^(?:the )?same (brand|colour|color|size|type|pattern|style) as (?:#|number )(\d+)$", r"keep the \1 of #\2"),
)  # fmt: skip


def _reworded(text: str, table: Table) -> str:
    for pattern, usual in table:
        changed = pattern.sub(usual, text, count=1)
        if changed != text and changed.strip():
            text = changed.strip()
    return text


def reword_message(text: str) -> str:
    """A message in lower case, in usual words."""
    return _reworded(_reworded(text, search_talk.MESSAGE), _MESSAGE)


def reword_clause(text: str, *, in_hand: bool) -> str:
    """A clause in usual words.

    >>> reword_clause("the sleeves should be a bit longer", in_hand=False)
    'longer sleeves'
    """
    text = text.strip(" .!?")
    text = reword_photo_talk(text) if in_hand else _reworded(text, search_talk.AMONG_RESULTS)
    return _reworded(_reworded(text, search_talk.CLAUSE), _CLAUSE)
