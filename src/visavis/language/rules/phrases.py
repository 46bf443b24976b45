"""What people say around the thing they want: politeness, verbs of search, "a picture of", "for me"."""

from __future__ import annotations

import re
from dataclasses import dataclass

_REMARK = (
    r"(?:please|kindly|hey|hi|hello|ok(?:ay)?|yes|yeah|yep|well|so|now|then|next|also|and|but|or|actually|"
    r"alright|all right|"
    r"anyway|instead|finally|lastly|again|here|maybe|perhaps|just|dear assistant|assistant|hmm+|oh|"
    r"(?:right|great|perfect|nice|good|cool|awesome)(?=[,.!])|"
    r"thanks|thank you|no(?=,)|sorry|wow|at ?least|one (?:last|final|more) (?:thing|help|request)|"
    r"last (?:thing|help|request)|firstly|first(?=,)|(?:let's |we )?(?:look for |try )?something else|"
    r"new search|(?:try )?(?:an? )?(?:completely |totally )?(?:different|new) (?:thing|topic|subject|"
    r"idea)(?=:)|"
    r"for (?:this|that)|in that case|quickly)\b[ ,.:!;-]*"
)
_POLITE = re.compile(
    rf"(?:{_REMARK}"
    r"|(?:can|could|would|will|may|should|must|ca) (?:you|we|i|it|this)\b[ ,]*|you (?:can|could|may|must|"
    r"should|will|just|need to|have to)\b(?: be)?"
    r"|i intend to ask you for your help in|complete my request of|having(?= an image)|(?:is|was|would|"
    r"will) (?:it|is) (?:be )?possible (?:for you )?(?:to|if you(?: can| could)?)\b|it(?:'s|"
    r" is) possible (?:for you )?to\b"
    r"|i(?:'d| would)? (?:(?:really|also|now|just) )*(?:want|need|like|love|wish|prefer) (?:you to\b|"
    r"to\b(?! (?:see|have|get|find|buy|explore|go|eat|visit|look|watch|search|view)))"
    r"|(?:i'm|i was|i am) (?:just |also )?(?:wondering|hoping)(?: if| that| whether)?(?: you| we)?(?: can|"
    r" could| might)?\b"
    r"|(?:let me|i want to) see if you can|you (?:now )?need to|its time for you to|hope you can|(?:it|"
    r"i) would be (?:great|nice|really happy|happy|good|helpful) (?:if (?:you|we) (?:can|could)\b|to\b)|"
    r"i'd be (?:\w+ )?happy if you (?:can|could)\b"
    r"|(?:do|would) you mind|do you think (?:you|we) (?:can|could)|do me a favou?r (?:and|by)|"
    r"use your skills to|are you (?:\w+ ){1,3}enough to"
    r"|try(?:ing)? (?:to|and)\b|try\b(?= \w+ing)|your (?:help|task|job)(?: \w+)? is(?: (?:needed|"
    r"required))?(?: now)?(?: to| for| in)?\b|(?:need |want |require )?your (?:help|"
    r"assistance)(?: (?:with|in|to|for))?\b"
    r"|(?:help|assist)(?:ing)?(?: me| us)?(?: out)?(?: to| in| with| by| for)?\b|be able to|go ahead and|"
    r"if you (?:can|could)"
    r"|i think (?:we|you) (?:should|can|could)|i(?:'ll| will)? need you\b|let(?:'s| me)\b|(?:can|"
    r"could) (?=(?:show|suggest|find|get|"
    r"search|look)\b))\s*"
)
#: The part of politeness that means nothing whatever follows.
_AROUND = re.compile(
    r"(?:(?:please|kindly|actually|hey there|hey|hi there|hi|hello|okay|ok|well|hmm+|oh|wow|thanks|thank you|"
    r"not bad|very good|very nice|hey there|and now|ok now|now|then|next(?! (?:to|page|one|ones|results?|"
    r"batch|\d|picture|image))|also|maybe|perhaps|just(?= \w+ (?:the|it|this|that|all|me|to))|"
    r"go ahead and|try to|yes(?=[,.!])|great(?=[,.!])|nice(?=[,.!])|perfect(?=[,.!])|cool(?=[,.!])|"
    r"good(?=[,.!]))\b[ ,.!:;]*"
    r"|(?:can|could|would|will) you\b[ ,]*|(?:can|could) we\b[ ,]*|let's\b(?! (?:start|go back|return))|"
    r"i(?:'d like| want| need) you to\b|i(?:'d like| want| need) to (?=rotate|crop|change|make|remove|go|"
    r"undo|keep|sort|filter)"
    r"|(?:is|would|will) it (?:be )?possible (?:for you )?to\b|it(?:'s| is) possible to\b|go ahead and|"
    r"try to|i think (?:we|you) (?:should|can|could)\b)\s*"
)
_BEHIND = re.compile(
    r"[ ,]*(?:\b(?:please|for me|thanks|thank you|if possible|right now|if you can)\b|(?<=\w{3}) now|"
    r"[.!?,;]+)$"
)
_SEARCH = re.compile(
    r"(?:(?:find(?:ing)?|search(?:ing)?(?: me)?(?: for| out)?|look(?:ing)?(?: me)?(?: out| up)? for|"
    r"look up|look at|fetch(?:ing)?|get(?:ting)?(?! rid)|giv(?:e|ing)|"
    r"show(?:ing)?|shar(?:e|ing)|brows(?:e|ing)(?: for)?|bring(?: up)?|display|see(?:ing)?|explore|provide|send|"
    r"pull up|locate|view|grab|suggest|take me to|check out)\b"
    r"(?: (?:me|us|em|e|out|for me|also|now|how)\b)*"
    r"|(?:i'm|i was|i am|we are|we're|i)(?: (?:also|now|still|really|currently|just))* (?:looking(?: for|"
    r" at)?|searching for|hunting for|after|interested in|in need of|want to see|"
    r"trying to find|thinking of|in search of|in (?:a |the )?mood (?:for|to see)|planning (?:for|"
    r"to (?:buy|get|visit|see))|researching(?: on)?)\b(?: (?:finding|getting|looking at|seeing|buying|"
    r"having|going to))?"
    r"|(?:i|we)(?:'d| would| will|'ve)?(?: (?:also|now|really|just|still))* (?:want|need|like|love|"
    r"require|wish|wanted|fancy|feel like|crave|have (?:a )?craving for|a requirement of)"
    r"(?: (?:for|of|having|going to|looking at|going for|(?:to )?(?:see|have|get|look at|find|search for|"
    r"search|explore|view|buy|go to|go for|eat|visit|watch|adopt|show|send)))*\b(?! (?:you|it|"
    r"them)\b)(?: (?:me|also|now))*"
    r"|i (?:could|can) (?:use|do with)\b|(?:have you |you )?got any\b|where (?:can|could|do) i (?:find|"
    r"see)\b|(?:do you|have you) (?:have|got)\b(?! (?:it|them|this|that)\b)|"
    r"(?:is|are) there\b(?= (?:an?|pictures|images|"
    r"any|"
    r"some)\b)|what's (?=(?:the|that|this|an?) (?:\w+ ){0,3}(?:object|thing|item))"
    r"|(?:i|we) (?:have|'ve) (?:an? |the )?(?:requirement|need|wish) (?:of|for|to)\b"
    r"(?: (?:getting|get|have|having|see))?"
    r"|(?:my|the) (?:requirement|interest|wish|need)(?: \w+)? is (?:of|in|for|to (?:see|get|find))\b|"
    r"(?:looking|hunting) for\b|need\b|want\b|wanted\b|(?:can|could|may) i (?:get|have|see)\b|i (?:could|can) (?:use|"
    r"do with)\b|(?:have you |you )?got any\b|where (?:can|could|do) i (?:find|see)\b|"
    r"any chance you have\b|"
    r"have(?= (?:an?|the|some) (?:image|"
    r"picture))|how about(?= looking)|looking(?= for))\s*"
)
MEDIA = (
    r"(?:(?:the|an?|some|any|another|exact|few|nice|good|more|other|different|several|of|similar|all|your|"
    r"beautiful|clear|this|that|those|these|awesome|lovely|great|colou?r(?= (?:photo|picture|image))) )*"
    r"(?:images?|pictures?|photos?|photographs?|illustrations?|shots?|snapshots?|stuff)\b(?! (?:frame|album|booth|shop|"
    r"studio|editor))"
)
_MEDIA = re.compile(
    rf"{MEDIA}(?:,| (?:of|for|with|showing|shows|having|containing|that (?:shows?|has|have)|"
    rf"which (?:shows?|has|have)|depicting|where|featuring|related to|from|on|about|"
    rf"in which))?(?: (?:image|picture)s? of)?\s+(?!me\b)"
)
_ARTICLE = re.compile(
    r"(?:(?:the|an?(?! (?:bit|little|lot)\b)|some|any|few|another|those|these|kind of|type of|sort of|"
    r"something like|something with|someone|something|pair of(?= \w+s\b))\s+)+(?=\S)"
)
_TAIL = re.compile(
    r"[ ,]*(?:\b(?:please|for me|for us|if possible|if you can|if you could|thanks|thank you|now|today|"
    r"as well|too|instead|again|right away|asap|also|at once|quickly|urgently|"
    r"from you|with me|in it|to me|right now|"
    r"(?:in|from|of) (?:the |this |that )?(?:above|given|last|previous|same|earlier|"
    r"current)?\s?(?:images?|pictures?|photos?)(?: above)?|(?:images?|pictures?|"
    r"photos?)(?: of it)?(?: please)?|"
    r"and share(?: (?:it )?here)?|looks? like|"
    r"from (?:the )?(?:internet|web|gallery))\b|(?:for|in) (?:my|a|an|our) (?:\w+ )?(?:project|"
    r"presentation|assignment|band|outfit|school)\b.*|, (?:as|that would|it would|which would|so that|"
    r"because) .*|\bas it (?:has|is) .*|[.?!,;:]+)\s*$"
)
_PLAINLY = re.compile(
    r"(?:got any|where|are there|hunting|searching|find|search|look|fetch|brows|show|shar|suggest|locate|"
    r"explore|send|"
    r"get(?:ting)? (?:me|us|em|e)\b|"
    r"(?:i'm|i was|i am|i|we are|we're)\b.*\b(?:looking|searching|hunting|interested|in need|in search))"
)
_OF = re.compile(r"\b(?:of|which has|that has|with|having|showing|containing|for)\s+$")
#: "a ribbon's image which ..." is "a ribbon which ...".
_OWNED_AND_MORE = re.compile(
    r"^(?P<what>(?:an? |the |some )?[\w -]+?)'s? (?:image|picture|photo)s? "
    r"(?=(?:which|that|in|with|matching|similar|same)\b.*\b(?:colou?r|shade|match\w*|same|similar)\b)"
)
_OWNED = re.compile(r"^(?:an? |the |some )?(?P<what>[\w -]+?)'s? (?:image|picture|photo)s?\b.*$")
_LOOKS_LIKE = re.compile(r"^(?:how|what) (?:do(?:es)? )?(?:an? |the )?(?P<what>.+?) looks? like\b.*$")
_IS_WANTED = re.compile(
    r"^(?P<what>.+?) (?:is|are) (?:what|which) (?:you|i|we) .*$|^(?P<needed>.+?) (?:is|are) (?:needed|"
    r"required|wanted)\b.*$"
)
_LATER_OF = re.compile(
    r"^(?!.*\b(?:object|colou?r|thing|match\w*|same|similar)\b).*\b(?:find|get|fetch|show|"
    r"look(?:ing)? for|see|search|need|want)\b.*\b(?:images?|pictures?|photos?) of (?P<what>.+)$"
)


@dataclass(frozen=True)
class Request:
    """A clause without what people say around the thing they want.

    Attributes:
        text: What is left.
        searches: Whether a verb of search or of wishing stood before it ("find me", "I need").
        pictures: Whether pictures were spoken of ("an image of").
        plainly: Whether it can be nothing but a search ("find me", "an image of").
    """

    text: str
    searches: bool = False
    pictures: bool = False
    plainly: bool = False


def core(text: str) -> str:
    """A clause as a plain request: without remarks, "could you" and "please" around it."""
    previous = None
    while previous != text:
        previous = text
        if (found := _AROUND.match(text)) and found.end() < len(text):
            text = text[found.end() :]
        text = _BEHIND.sub("", text) or text
    return text.strip()


def unwrap(text: str) -> Request:
    """Take off lead-ins and tails until the thing itself is left."""
    searches = pictures = plainly = False
    text = text.strip()
    if found := _LATER_OF.match(text):
        searches, pictures, plainly, text = True, True, True, found["what"]
    previous = None
    while previous != text:
        previous = text
        if (found := _POLITE.match(text)) and found.end() < len(text):
            text = text[found.end() :]
        if (found := _SEARCH.match(text)) and found.end() < len(text):
            searches, text = True, text[found.end() :]
            plainly = plainly or _PLAINLY.match(found[0]) is not None
        if (found := _MEDIA.match(text)) and found.end() < len(text):
            pictures, text = True, text[found.end() :]
            plainly = plainly or _OF.search(found[0]) is not None
        text = text.strip(" ,:-")
    text = _OWNED_AND_MORE.sub(r"\g<what> ", text)
    if found := _OWNED.match(text):
        pictures, text = True, found["what"]
    for pattern in (_LOOKS_LIKE, _IS_WANTED):
        if found := pattern.match(text):
            searches, text = True, next(group for group in found.groups() if group)
    return Request(_without_tail(text), searches, pictures, plainly)


def _without_tail(text: str) -> str:
    previous = None
    while previous != text:
        previous = text
        text = _TAIL.sub("", text) or text
    text = text.strip(' ,.?!:;-"')
    found = _ARTICLE.match(text)
    return text[found.end() :] if found and found.end() < len(text) else text
